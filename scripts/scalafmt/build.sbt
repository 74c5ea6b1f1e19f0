// SPDX-License-Identifier: BSD-3-Clause
// Formats the Scala of every hardware project with one scalafmt; `scalafmtCheckAll` checks, and
// `scalafmtAll` formats. A project of its own, so that building hardware does not load the plug-in.

val design = file("../..").getAbsoluteFile.getCanonicalFile / "target-design"

lazy val scalafmt = (project in file("."))
  .settings(
    scalafmtConfig := design / ".scalafmt.conf",
    Compile / unmanagedSourceDirectories := 
      Seq("rocket/src/main", "peripherals/src/main", "parts").map(design / _),
    Test / unmanagedSourceDirectories := Seq("rocket", "peripherals").map(design / _ / "src/test")
  )
