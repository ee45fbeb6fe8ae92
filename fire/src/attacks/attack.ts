import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { BatterySize, Score } from '../battery.ts'

/** A row of the table: an attack on a running part of Farebox, and what must hold. */
export interface Attack {
  /** Short and unique: `N3`. */
  readonly id: string
  /** What Farebox promises, in a sentence. */
  readonly rule: string
  /** What the attacker does, in a few words. */
  readonly title: string
  /** A program without which it cannot run, and which is not installed with Farebox. */
  readonly needs?: 'pgbouncer' | 'redis-server'
  /** Runs it and measures; ends what it started before it settles. Rejects only where the program itself fails. */
  run(run: AttackRun): Promise<readonly Score[]>
}

/** How an attack is run. */
export interface AttackRun {
  /** `small` takes seconds and is part of `npm test`; `full` has the figures of the scorecard. */
  readonly size: BatterySize
  /** Aborted when the run is to end early. */
  readonly signal: AbortSignal
}

/** Debian installs PgBouncer here, which is not in everybody's PATH. */
const MORE_FOLDERS = ['/usr/sbin']

/** The path of an installed program; undefined where it is missing. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...MORE_FOLDERS]
  return folders.map(folder => join(folder, name)).find(file => existsSync(file))
}

/** A score for a number that must be exactly so much. */
export function scoreCount(test: string, reached: number, target: number, of: number): Score {
  return { test, reached: `${reached} of ${of}`, target: String(target), isMet: reached === target }
}
