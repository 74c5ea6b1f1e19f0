# SPDX-License-Identifier: BSD-3-Clause
# The commands of Vivado that our projects use, as far as they can be checked without it: that files are
# there, options known, and parts, cores, ports, cells and pins what the design has. Run in the folder of
# a job: tclsh recorder.tcl FACTS SCRIPT. FACTS sets the arrays of what is known (facts.py writes it).
# Each fault is a line "FILE:LINE: ..." on stdout; the exit status says whether there was one.

set faults 0
set script ""
array set made {}

proc fault {text} {
  global faults
  incr faults
  set where "?"
  # The innermost frame that is a line of a file other than this one.
  for {set depth [info frame]} {$depth > 0} {incr depth -1} {
    set frame [info frame $depth]
    if {[dict get $frame type] eq "source" && [file tail [dict get $frame file]] ne "recorder.tcl"} {
      set where "[file tail [dict get $frame file]]:[dict get $frame line]"
      break
    }
  }
  puts "$where: $text"
}

# Options of a command by name: 0 stands alone, 1 takes a value. Returns what is left over.
proc taken {command options words} {
  global given
  array unset given
  set rest {}
  while {[llength $words]} {
    set words [lassign $words word]
    if {[string match -* $word] && ![string is double $word]} {
      if {![dict exists $options $word]} {
        fault "$command: found the option $word, expected one of: [dict keys $options]"
      } elseif {[dict get $options $word]} {
        set words [lassign $words given($word)]
      } else {
        set given($word) 1
      }
    } else {
      lappend rest $word
    }
  }
  return $rest
}

proc need_file {command name} {
  if {![file isfile $name]} {fault "$command: found no file $name, expected it in the project"}
}

proc need_one_of {command what name known} {
  if {$name ni $known} {fault "$command: found the $what $name, expected one of: $known"}
}

proc need_made {command what} {
  global made
  if {![info exists made($what)]} {fault "$command: found it before $what, expected it after"}
}

proc set_param {name value} {need_one_of set_param parameter $name {general.maxThreads}}

proc create_project {args} {
  global given parts made
  taken create_project {-force 0 -part 1} $args
  need_one_of create_project part $given(-part) $parts
  set made(create_project) 1
  set made(part) $given(-part)
}

proc create_ip {args} {
  global given cores core_ports made
  taken create_ip {-name 1 -vendor 1 -library 1 -version 1 -module_name 1} $args
  need_made create_ip create_project
  set module $given(-module_name)
  if {![info exists cores($module)]} {
    fault "create_ip: found the module $module, expected one of: [array names cores]"
  } elseif {$cores($module) ne $given(-name)} {
    fault "create_ip: found the core $given(-name) for $module, expected $cores($module)"
  }
  set made(ip,$module) 1
}

proc get_ips {name} {
  global made
  if {![info exists made(ip,$name)]} {fault "get_ips: found $name, expected a core that create_ip made"}
  return [list ip $name]
}

proc generate_target {what ip} {need_one_of generate_target target $what {all synthesis}}

proc synth_ip {ip} {
  global made
  set made(synth,[lindex $ip 1]) 1
}

proc set_property {args} {
  global core_settings
  set rest [taken set_property {-dict 1} $args]
  global given
  set pairs {}
  if {[info exists given(-dict)]} {
    set pairs $given(-dict)
    set object [lindex $rest 0]
  } else {
    set pairs [lrange $rest 0 1]
    set object [lindex $rest 2]
  }
  if {[llength $pairs] % 2} {fault "set_property: found a name without a value, expected pairs"}
  foreach {name value} $pairs {need_property [lindex $object 0] [lindex $object 1] $name $value}
}

proc need_property {kind object name value} {
  global cores core_settings made
  switch $kind {
    ip {
      set core $cores($object)
      need_one_of set_property "setting of $core" $name $core_settings($core)
      if {$core eq "xdma"} {set made(core,[string range $name 7 end]) $value}
    }
    ports {
      need_one_of set_property "property of a port" $name {PACKAGE_PIN IOSTANDARD PULLUP}
      if {$name eq "PACKAGE_PIN"} {
        if {[info exists made(pin,$value)]} {
          fault "set_property: found the pin $value for $object and $made(pin,$value), expected one"
        }
        set made(pin,$value) $object
        set made(placed,$object) 1
      }
    }
    design {
      need_one_of set_property "property of a design" $name {
        CFGBVS CONFIG_VOLTAGE CONFIG_MODE BITSTREAM.GENERAL.COMPRESS BITSTREAM.CONFIG.SPI_BUSWIDTH
        BITSTREAM.CONFIG.USERID BITSTREAM.CONFIG.CONFIGFALLBACK BITSTREAM.CONFIG.EXTMASTERCCLK_EN
        BITSTREAM.CONFIG.CONFIGRATE BITSTREAM.CONFIG.SPI_32BIT_ADDR BITSTREAM.CONFIG.SPI_FALL_EDGE
        BITSTREAM.CONFIG.UNUSEDPIN BITSTREAM.CONFIG.OVERTEMPSHUTDOWN
      }
      set made(design,$name) $value
    }
    cells {
      need_one_of set_property "property of a cell" $name {LOC}
      if {[info exists made(loc,$value)]} {
        fault "set_property: found the place $value for $object and $made(loc,$value), expected one"
      }
      set made(loc,$value) $object
    }
    file {
      need_one_of set_property "property of a file" $name {PROCESSING_ORDER USED_IN}
      if {$value eq "EARLY"} {set made(early,$object) 1}
    }
    default {fault "set_property: found no object, expected one"}
  }
}

proc current_design {} {return [list design top]}

# Objects by name or pattern. A [ and a ] of a name are themselves, as in Vivado.
proc objects {command kind known name} {
  set pattern [string map {[ \\[ ] \\]} $name]
  set found {}
  foreach one $known {if {[string match $pattern $one]} {lappend found $one}}
  if {![llength $found]} {fault "$command: found no $kind $name in the design, expected it there"}
  return [list $kind $name]
}

proc get_ports {name} {global ports; objects get_ports ports $ports $name}

proc get_pins {args} {
  global pins given
  set rest [taken get_pins {-of_objects 1 -filter 1} $args]
  if {![info exists given(-of_objects)]} {return [objects get_pins pins $pins [lindex $rest 0]]}
  if {![regexp {^REF_PIN_NAME == ([A-Z]+)$} $given(-filter) - pin]} {
    fault "get_pins: found the filter $given(-filter), expected REF_PIN_NAME == PIN"
  }
  objects get_pins pins $pins [lindex $given(-of_objects) 1]/$pin
}

proc get_cells {args} {
  global cells given
  set rest [taken get_cells {-hierarchical 0 -filter 1 -quiet 0} $args]
  if {[info exists given(-filter)]} {
    if {[regexp {^NAME =~ (\S+)$} $given(-filter) - name]} {
      return [objects get_cells cells $cells $name]
    }
    if {![regexp {^(NAME =~ [A-Za-z_/*]+ && )?REF_NAME =~ [A-Z0-9_*]+$} $given(-filter)]} {
      fault "get_cells: found the filter $given(-filter), expected REF_NAME =~ PATTERN"
    }
    return {cells filtered}
  }
  objects get_cells cells $cells [lindex $rest 0]
}

proc get_clocks {args} {
  global given clocks
  set rest [taken get_clocks {-of_objects 1} $args]
  if {[info exists given(-of_objects)]} {
    if {[lindex $given(-of_objects) 0] ne "pins"} {fault "get_clocks: found no pin, expected one"}
    return [list clocks [lindex $given(-of_objects) 1]]
  }
  need_one_of get_clocks clock [lindex $rest 0] $clocks
  return [list clocks [lindex $rest 0]]
}

proc create_clock {args} {
  global given clocks
  set rest [taken create_clock {-name 1 -period 1} $args]
  if {[lindex $rest 0 0] ne "ports"} {fault "create_clock: found no port, expected one"}
  lappend clocks $given(-name)
}

proc set_max_delay {args} {
  set rest [taken set_max_delay {-datapath_only 0 -from 1 -to 1} $args]
  if {![string is double -strict $rest]} {fault "set_max_delay: found the delay $rest, expected ns"}
}

proc set_false_path {args} {taken set_false_path {-from 1 -to 1} $args}

proc set_clock_groups {args} {
  set groups [llength [lsearch -all -exact $args -group]]
  taken set_clock_groups {-asynchronous 0 -group 1} $args
  if {$groups < 2} {fault "set_clock_groups: found $groups groups, expected at least 2"}
}

proc read_verilog {args} {
  global made
  foreach file [concat {*}[taken read_verilog {-sv 0} $args]] {
    need_file read_verilog $file
    set made(read,[file tail $file]) 1
  }
}

proc read_ip {files} {
  foreach file $files {
    need_file read_ip $file
    if {[file extension $file] ne ".xci"} {fault "read_ip: found $file, expected the .xci of a core"}
  }
}

# Constraints are applied to the design after synthesis, so they are read and checked then.
proc read_xdc {file} {
  global constraints
  need_file read_xdc $file
  lappend constraints $file
}

proc synth_design {args} {
  global given parts tops made needed constraints cores directives ports
  taken synth_design {
    -top 1 -part 1 -verilog_define 1 -directive 1 -retiming 0 -mode 1
  } $args
  if {[info exists given(-mode)]} {set mode $given(-mode)}
  need_one_of synth_design top $given(-top) $tops
  need_one_of synth_design part $given(-part) $parts
  need_directive synth_design
  foreach file $needed {
    if {![info exists made(read,$file)]} {fault "synth_design: found no read_verilog of $file"}
  }
  foreach module [array names cores] {
    if {![info exists made(synth,$module)]} {fault "synth_design: found no synth_ip of $module"}
  }
  set made(synth_design) 1
  foreach file $constraints {if {[file isfile $file]} {uplevel #0 [list source $file]}}
  # What is synthesized for a place in a shell has no pins of its own.
  if {[info exists mode] && $mode eq "out_of_context"} {return}
  foreach port $ports {
    if {![info exists made(placed,$port)] && $port ni $::vectors} {
      fault "synth_design: found no PACKAGE_PIN of the port $port, expected one"
    }
  }
}

proc need_directive {step} {
  global given directives
  if {[info exists given(-directive)]} {
    need_one_of $step directive $given(-directive) $directives($step)
  }
}

foreach {step before} {
  opt_design synth_design place_design opt_design phys_opt_design place_design
  route_design place_design
} {
  proc $step {args} [string map [list STEP $step BEFORE $before] {
    global made
    taken STEP {-directive 1} $args
    need_directive STEP
    need_made STEP BEFORE
    set made(STEP) 1
  }]
}

proc write_checkpoint {args} {
  close [open [lindex [taken write_checkpoint {-force 0} $args] 0] w]
}

# A routed design, as far as later commands go.
proc open_checkpoint {file} {
  global made
  need_file open_checkpoint $file
  set made(synth_design) 1
  set made(route_design) 1
}

proc get_files {name} {
  global constraints
  if {$name ni [lmap file $constraints {file tail $file}]} {
    fault "get_files: found no $name among what was read, expected it"
  }
  return [list file $name]
}

proc update_compile_order {args} {taken update_compile_order {-fileset 1} $args}
proc report_utilization {args} {taken report_utilization {-hierarchical 0 -file 1} $args}

# Reports after route have what the facts say that the design misses, in Vivado's form, else nothing.
proc report {command options args_given lines} {
  global given
  taken $command $options $args_given
  need_made $command route_design
  set stream [open $given(-file) w]
  puts $stream [join $lines \n]
  close $stream
}

proc report_timing_summary {args} {
  report report_timing_summary {-check_timing_verbose 0 -file 1} $args $::timing_report
}

proc report_cdc {args} {
  report report_cdc {-details 0 -severity 1 -file 1} $args $::cdc_report
}

proc report_methodology {args} {report report_methodology {-file 1} $args {}}

# A path is `path SLACK GROUP START END`.
proc get_timing_paths {args} {
  global given misses
  taken get_timing_paths {
    -group 1 -max_paths 1 -nworst 1 -setup 0 -hold 0 -slack_lesser_than 1
  } $args
  need_made get_timing_paths route_design
  if {![info exists given(-slack_lesser_than)]} {return {{path 1.5}}}
  set kind [expr {[info exists given(-hold)] ? "hold" : "setup"}]
  return [lrange $misses($kind) 0 [expr {$given(-max_paths) - 1}]]
}

proc get_property {name object} {
  set properties {SLACK GROUP STARTPOINT_PIN ENDPOINT_PIN}
  need_one_of get_property property $name [list {*}$properties PERIOD]
  if {$name eq "PERIOD"} {return 11.0}
  if {[llength $object] == 1} {set object [lindex $object 0]}
  return [lindex $object [expr {1 + [lsearch $properties $name]}]]
}

proc version {args} {return 2024.1}

proc write_bitstream {args} {
  need_made write_bitstream route_design
  close [open [lindex [taken write_bitstream {-force 0} $args] 0] w]
}

proc write_cfgmem {args} {
  global given
  taken write_cfgmem {-force 0 -format 1 -size 1 -interface 1 -loadbit 1 -file 1} $args
  need_file write_cfgmem [lindex $given(-loadbit) 2]
  foreach name {-size -interface -loadbit} {set ::made(flash,$name) $given($name)}
  set names [list $given(-file)]
  if {$given(-interface) eq "SPIx8"} {
    set root [file rootname $given(-file)]
    set names [list ${root}_primary.mcs ${root}_secondary.mcs]
  }
  foreach name $names {close [open $name w]}
}

proc unknown {name args} {fault "found the command $name, expected one of Vivado's that is known here"}

set timing_report {
  {1. checking no_clock (0)}
  {4. checking unconstrained_internal_endpoints (0)}
  {All user specified timing constraints are met.}
}
set cdc_report {}
array set misses {setup {} hold {}}
set constraints {}
set clocks {}
set argv [lassign $argv facts script]
source $facts
if {[catch {source $script} message]} {
  fault "Tcl stopped: $message"
}
# What was set, for checks against what is known of a board.
set stream [open made.txt w]
foreach {name value} [array get made] {puts $stream "$name\t$value"}
close $stream
exit [expr {$faults != 0}]
