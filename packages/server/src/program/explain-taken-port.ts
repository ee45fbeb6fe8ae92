import { readdir, readFile, readlink } from 'node:fs/promises'

/** The most characters of a command line that are shown. */
const SHOWN_CHARACTERS = 120

/**
 * Listens; when the port is in use, the error names the port, the process that uses it if the system reveals it (Linux, and
 * processes of the same user), and the variable that sets another.
 *
 * @param variable - the variable that sets the port: `FACILITATOR_PORT`
 * @example
 * const url = await explainTakenPort('FACILITATOR_PORT', port, () => facilitator.listen({ port }))
 */
export async function explainTakenPort<T>(
  variable: string,
  port: number,
  listen: () => Promise<T>,
): Promise<T> {
  try {
    return await listen()
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause) || cause.code !== 'EADDRINUSE') throw cause
    const owner = await findOwner(port).catch(() => undefined)
    const by = owner === undefined ? 'in use by another program' : `taken by process ${owner}`
    throw new Error(`cannot listen: port ${port} is ${by}: end that, or set ${variable}`, { cause })
  }
}

/** `4711 (node main.js)`; undefined when it is unknown. */
async function findOwner(port: number): Promise<string | undefined> {
  const tables = await Promise.all(['tcp', 'tcp6'].map(name => readListening(`/proc/net/${name}`, port)))
  const sockets = new Set(tables.flat())
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  for (const pid of sockets.size === 0 ? [] : pids) {
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => [])
    const links = descriptors.map(one => readlink(`/proc/${pid}/fd/${one}`).catch(() => ''))
    if (!(await Promise.all(links)).some(link => sockets.has(link))) continue
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return `${pid} (${command.replaceAll('\0', ' ').trim().slice(0, SHOWN_CHARACTERS)})`
  }
  return undefined
}

/** The state of a listening socket in /proc/net/tcp (include/net/tcp_states.h). */
const TCP_LISTEN = '0A'

async function readListening(path: string, port: number): Promise<readonly string[]> {
  const table = await readFile(path, 'utf8').catch(() => '')
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return table.split('\n').flatMap(line => {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/)
    return local?.endsWith(end) === true && state === TCP_LISTEN ? [`socket:[${inode}]`] : []
  })
}
