import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { BatterySize, Score } from '../battery.ts'

/** A row of the table: an attack on a running part of Farebox, and the rule that must hold. */
export interface Attack {
  /** Short and unique: `N3`. */
  readonly id: string
  /** The promise of Farebox, in a sentence. */
  readonly rule: string
  /** The attacker's action, in a few words. */
  readonly title: string
  /** A program that the attack needs and that is not installed with Farebox. */
  readonly needs?: 'pgbouncer' | 'redis-server'
  /**
   * Runs the attack and measures; ends everything it started before it settles. Rejects only if the program itself
   * fails.
   */
  run(run: AttackRun): Promise<readonly Score[]>
}

/** The options of an attack. */
export interface AttackRun {
  /** `small` takes seconds and is part of `npm test`; `full` has the figures of the scorecard. */
  readonly size: BatterySize
  /** Aborted to end the run early. */
  readonly signal: AbortSignal
}

/** Debian installs PgBouncer here, a folder that is not in every PATH. */
const MORE_FOLDERS = ['/usr/sbin']

/** The path of an installed program; undefined if it is missing. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...MORE_FOLDERS]
  return folders.map(folder => join(folder, name)).find(file => existsSync(file))
}

/** A score for a number that must have an exact value. */
export function scoreCount(test: string, reached: number, target: number, of: number): Score {
  return { test, reached: `${reached} of ${of}`, target: String(target), isMet: reached === target }
}
