import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { CHILD_LINES, type ChildLine } from '@farebox/local/src/processes/child-process'
import { findSuspects, type Suspect } from './scan-output.ts'

/** The local chain prints its keys, which all the world knows. */
const CHAIN = /\/anvil /

/** How the database's launcher tells its parent, and nobody else, where the database is. */
const HANDSHAKE = /^\{"connectionString":"[^"]+","port":\d+,"pid":\d+\}$/

/** Listens to all that the programs write which this process starts. */
export interface ChildWatch {
  /** What had the form of a secret, so far. */
  suspects(): readonly Suspect[]
  /** How much was read, so that silence is not taken for innocence. */
  characters(): number
  stop(): void
}

/** Begins to listen; for suites and batteries whose secrets nobody planted: those are known by their form. */
export function watchChildren(): ChildWatch {
  const found: Suspect[] = []
  let read = 0
  const listen = (message: unknown): void => {
    const { command, line } = message as ChildLine
    if (CHAIN.test(command) || HANDSHAKE.test(line)) return
    read += line.length
    found.push(...findSuspects(command.split('/').slice(-2).join('/'), line))
  }
  subscribe(CHILD_LINES, listen)
  return {
    suspects: () => found,
    characters: () => read,
    stop: () => void unsubscribe(CHILD_LINES, listen),
  }
}
