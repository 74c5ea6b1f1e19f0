# SPDX-License-Identifier: BSD-3-Clause
# What a routed design misses, for build scripts in Vivado: paths, pins without constraint, crossings.
#
# `timing_faults` writes timing.rpt, cdc.rpt and methodology.rpt and returns a list of sentences, which is
# empty for a design that may run. A report that cannot be read is a fault, too.

# Paths that miss their time, of every clock: the three worst of setup and of hold.
proc missed_paths {} {
  set found {}
  foreach kind {setup hold} {
    foreach path [get_timing_paths -$kind -max_paths 3 -nworst 1 -slack_lesser_than 0] {
      set ends "[get_property STARTPOINT_PIN $path] to [get_property ENDPOINT_PIN $path]"
      set late [format %.3f [expr {-[get_property SLACK $path]}]]
      lappend found "$kind of the clock [get_property GROUP $path] from $ends by $late ns"
    }
  }
  return $found
}

proc lines_of {file} {
  set stream [open $file]
  set lines [split [read $stream] \n]
  close $stream
  return $lines
}

# Whether a pin lies in one of these cells; "" is the whole design.
proc lies_in {cells pin} {
  foreach cell $cells {
    if {$cell eq "" || [string first "$cell/" $pin] == 0} {return 1}
  }
  return 0
}

# Pins below `within` without a clock, or that nothing limits, by the checks within a timing report.
# Sets `counted` to how many there are anywhere.
proc unconstrained_pins {lines within counted} {
  upvar $counted count
  array set pins_of {}
  set check ""
  set count 0
  foreach line $lines {
    if {[regexp {^\s*\d+\. checking (\S+) \((\d+)\)\s*$} $line - check number]} {
      if {$check ni {no_clock constant_clock unconstrained_internal_endpoints loops latch_loops}} {
        set check ""
      } else {
        set number_of($check) $number
      }
    } elseif {[string match "| *" $line]} {
      set check ""  ;# The next part of the report.
    } elseif {$check ne "" && [regexp {^\s*(\S+/\S+)\s*$} $line - pin] && [lies_in [list $within] $pin]} {
      set pins_of($pin) 1
    }
  }
  foreach check [array names number_of] {incr count $number_of($check)}
  return [list [array size number_of] [lsort [array names pins_of]]]
}

# Crossings that Vivado calls critical: ID, source and destination of each, but for those within one of
# `cores`, which are their maker's, and of `allowed`, pairs of patterns. Sets `counted` to how many rows of
# the details were read, and `summed` to how many the summary has.
proc critical_crossings {lines within cores allowed counted summed} {
  upvar $counted rows $summed total
  set rows 0
  set total 0
  set found {}
  foreach line $lines {
    if {![regexp {\mCritical\M} $line] || ![regexp {CDC-\d+} $line id]} {continue}
    set pins [lsearch -all -inline -regexp [regexp -all -inline {\S+} $line] /]
    if {[llength $pins] < 2} {
      if {[regexp {Critical\s+(\d+)\s} $line - number]} {incr total $number}
      continue
    }
    incr rows
    lassign [lrange $pins end-1 end] from to
    if {![lies_in [list $within] $from] && ![lies_in [list $within] $to]} {continue}
    set known 0
    foreach core $cores {
      if {[lies_in [list $core] $from] && [lies_in [list $core] $to]} {set known 1}
    }
    foreach pair $allowed {
      if {[string match [lindex $pair 0] $from] && [string match [lindex $pair 1] $to]} {set known 1}
    }
    if {!$known} {lappend found "$id from $from to $to"}
  }
  return $found
}

proc first_of {list} {
  set more [expr {[llength $list] - 3}]
  return "[join [lrange $list 0 2] {; }][expr {$more > 0 ? "; and $more more" : ""}]"
}

proc timing_faults {within cores allowed} {
  set faults {}
  report_timing_summary -check_timing_verbose -file timing.rpt
  report_cdc -details -severity Critical -file cdc.rpt
  report_methodology -file methodology.rpt
  set missed [missed_paths]
  if {[llength $missed]} {
    lappend faults "found paths that miss their time after route, expected none: [join $missed {; }]"
  }
  set lines [lines_of timing.rpt]
  lassign [unconstrained_pins $lines $within count] checks pins
  if {$checks == 0} {
    lappend faults "found no check_timing in timing.rpt, expected it"
  } elseif {[llength $pins]} {
    set text "found pins without a clock or a limit ([llength $pins]), expected none"
    lappend faults "$text: [first_of $pins] (see timing.rpt)"
  } elseif {$count && $within eq ""} {
    lappend faults "found pins without a clock or a limit ($count), expected none: see timing.rpt"
  }
  # Pulse widths are in no path.
  if {![llength $missed] && "All user specified timing constraints are met." ni $lines} {
    lappend faults "found no word in timing.rpt that all constraints are met, expected it"
  }
  set crossings [critical_crossings [lines_of cdc.rpt] $within $cores $allowed rows total]
  if {[llength $crossings]} {
    set text "found critical crossings between clocks ([llength $crossings]), expected none"
    lappend faults "$text: [first_of $crossings] (see cdc.rpt)"
  } elseif {$rows < $total} {
    lappend faults "found $rows of $total critical crossings in cdc.rpt, expected each with its ends"
  }
  return $faults
}
