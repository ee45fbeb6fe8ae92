import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/**
 * A running process as the system describes it; two descriptions are of the same process when pid and start time are
 * equal.
 */
export interface ProcessDescription {
  readonly pid: number
  /** The start time in the system's own notation, only for comparisons. A reused pid has another start time. */
  readonly startedAt: string
  /** Program and arguments, separated by blanks. */
  readonly commandLine: string
}

/**
 * Describes the process that has this pid now.
 *
 * Reads /proc on Linux, and calls `ps` elsewhere. When neither is available every process counts as not running, so
 * that no process is ended on a guess.
 *
 * @returns undefined when no such process is running; a zombie (ended, but not yet reaped by its parent) is not running
 */
export async function readProcess(pid: number): Promise<ProcessDescription | undefined> {
  return process.platform === 'linux' ? await readProcFolder(pid) : await askPs(pid)
}

async function readProcFolder(pid: number): Promise<ProcessDescription | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined)
  if (stat === undefined || commandLine === undefined) return undefined
  // proc_pid_stat(5): the program name is in parentheses and may contain blanks and parentheses; the state is the first
  // field after it, the start time the twentieth.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const startedAt = fields[19]
  if (startedAt === undefined || fields[0] === 'Z' || fields[0] === 'X') return undefined
  return { pid, startedAt, commandLine: commandLine.replaceAll('\0', ' ').trim() }
}

/** The pid of a process's parent; undefined when there is no such process. */
export async function readParent(pid: number): Promise<number | undefined> {
  if (process.platform !== 'linux') {
    const answer = await promisify(execFile)('ps', ['-o', 'ppid=', '-p', String(pid)]).catch(() => undefined)
    return readPid(answer?.stdout.trim())
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The fields after the name in parentheses: the state, then the parent's pid.
  return readPid(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

function readPid(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d*$/.test(text) ? Number(text) : undefined
}

/** `lstart` is five words, "Fri Nov 21 02:43:10 2025"; `stat` begins with Z for a zombie. */
const PS_LINE = /^\s*(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/

async function askPs(pid: number): Promise<ProcessDescription | undefined> {
  const columns = ['-o', 'stat=', '-o', 'lstart=', '-o', 'args=']
  const answer = await promisify(execFile)('ps', [...columns, '-p', String(pid)]).catch(() => undefined)
  const [, state, startedAt, commandLine] = PS_LINE.exec(answer?.stdout ?? '') ?? []
  if (state === undefined || startedAt === undefined || commandLine === undefined) return undefined
  return state.startsWith('Z') ? undefined : { pid, startedAt, commandLine: commandLine.trim() }
}
