/** Servers that fail as real ones do. */
package dev.reprise.faults;
