import { readFile, readdir, readlink } from 'node:fs/promises'
import { readProcess } from '../read-process.ts'
import type { ProcessDescription } from '../read-process.ts'

/**
 * The message for a port that is in use: it names the process, when it is known, and what to do.
 *
 * @param what - what should have listened there: "the chain"
 */
export async function describeTakenPort(port: number, what: string): Promise<string> {
  const owner = await findPortOwner(port)
  const by = owner === undefined ? 'another program' : `process ${owner.pid} (${owner.commandLine})`
  return `Port ${port} is taken by ${by}: end it, or start ${what} on another port`
}

/**
 * Finds the process that listens on a TCP port of this machine. It reads Linux's /proc, which shows only processes of
 * the same user (to root, all of them).
 *
 * @returns undefined when no process listens, and when the process is not known
 */
export async function findPortOwner(port: number): Promise<ProcessDescription | undefined> {
  const sockets = new Set([
    ...(await readListeningSockets('/proc/net/tcp', port)),
    ...(await readListeningSockets('/proc/net/tcp6', port)),
  ])
  if (sockets.size === 0) return undefined
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  for (const pid of pids) {
    if (await holdsSocket(pid, sockets)) return await readProcess(Number(pid))
  }
  return undefined
}

/** The state of a listening socket in /proc/net/tcp (include/net/tcp_states.h). */
const TCP_LISTEN = '0A'

async function readListeningSockets(path: string, port: number): Promise<string[]> {
  const table = await readFile(path, 'utf8').catch(() => '')
  const localPort = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return table.split('\n').flatMap(line => {
    const [, localAddress, , state, , , , , , inode] = line.trim().split(/\s+/)
    const listensHere = localAddress?.endsWith(localPort) === true && state === TCP_LISTEN
    return listensHere && inode !== undefined ? [`socket:[${inode}]`] : []
  })
}

async function holdsSocket(pid: string, sockets: ReadonlySet<string>): Promise<boolean> {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => [])
  const links = await Promise.all(
    descriptors.map(async name => await readlink(`/proc/${pid}/fd/${name}`).catch(() => '')),
  )
  return links.some(link => sockets.has(link))
}
