// The Rocket Chip SoC: a Scala 2.12 project, because the published artifact is one.
// SPDX-License-Identifier: BSD-3-Clause

name := "firesim-rocket"
scalaVersion := "2.12.10"
// Chisel 3.2 bundles are recognised by structure, which needs the type inference of Scala 2.11.
scalacOptions ++= Seq("-deprecation", "-feature", "-Xsource:2.11", "-language:reflectiveCalls")
libraryDependencies += "edu.berkeley.cs" %% "rocketchip" % "1.2.6"
// The artifact is fixed, so is everything below it: nothing is looked up twice.
Compile / doc / sources := Seq.empty
