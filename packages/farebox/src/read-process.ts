import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** A running process as the system describes it; two of them are the same process when both fields agree. */
export interface ProcessDescription {
  readonly pid: number
  /**
   * When it started, in the system's own notation: only good for comparing. A reused pid has another value.
   */
  readonly startedAt: string
  /** Program and arguments, separated by blanks. */
  readonly commandLine: string
}

/**
 * Describes the process that has this pid now.
 *
 * Reads /proc where there is one, and asks `ps` elsewhere. Where neither exists every process counts as not
 * running, so that nothing is ever ended on a guess.
 *
 * @returns undefined when no such process runs; a zombie (ended, not yet collected by its parent) does not
 * run
 */
export async function readProcess(pid: number): Promise<ProcessDescription | undefined> {
  return process.platform === 'linux' ? await readProcFolder(pid) : await askPs(pid)
}

async function readProcFolder(pid: number): Promise<ProcessDescription | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined)
  if (stat === undefined || commandLine === undefined) return undefined
  // proc_pid_stat(5): the program's name stands in parentheses and may itself hold blanks and parentheses;
  // the state is the first field after it, the start time the twentieth.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const startedAt = fields[19]
  if (startedAt === undefined || fields[0] === 'Z' || fields[0] === 'X') return undefined
  return { pid, startedAt, commandLine: commandLine.replaceAll('\0', ' ').trim() }
}

/** The pid of a process's parent; undefined where there is no such process. */
export async function readParent(pid: number): Promise<number | undefined> {
  if (process.platform !== 'linux') {
    const answer = await promisify(execFile)('ps', ['-o', 'ppid=', '-p', String(pid)]).catch(() => undefined)
    return readPid(answer?.stdout.trim())
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // After the name in parentheses: the state, then the parent.
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
