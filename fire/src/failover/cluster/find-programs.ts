import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from '../../attacks/attack.ts'

/** The paths of the programs that a cluster needs. */
export interface Programs {
  readonly etcd: string
  readonly haproxy: string
  readonly patroni: string
  readonly pgbouncer: string
  /** The folder of PostgreSQL's programs: `initdb`, `pg_basebackup`, `pg_rewind` and the server. */
  readonly binaries: string
}

/** Debian's package of each program. */
const PACKAGES = {
  etcd: 'etcd-server',
  haproxy: 'haproxy',
  patroni: 'patroni',
  pgbouncer: 'pgbouncer',
} as const
const SERVERS = '/usr/lib/postgresql'

/** The programs, or the packages to install. */
export function findPrograms(): Programs | { readonly missing: readonly string[] } {
  const [etcd, haproxy, patroni, pgbouncer] = [
    findProgram('etcd'),
    findProgram('haproxy'),
    findProgram('patroni'),
    findProgram('pgbouncer'),
  ]
  const binaries = findServer()
  if (etcd && haproxy && patroni && pgbouncer && binaries)
    return { etcd, haproxy, patroni, pgbouncer, binaries }
  const found = { etcd, haproxy, patroni, pgbouncer }
  const missing = Object.entries(PACKAGES).flatMap(([name, needed]) =>
    found[name as keyof typeof found] === undefined ? [needed] : [],
  )
  return { missing: binaries === undefined ? [...missing, 'postgresql'] : missing }
}

/** The newest installed version. */
function findServer(): string | undefined {
  if (!existsSync(SERVERS)) return undefined
  const versions = readdirSync(SERVERS).toSorted((one, other) => Number(other) - Number(one))
  const folders = versions.map(version => join(SERVERS, version, 'bin'))
  return folders.find(folder => existsSync(join(folder, 'pg_rewind')))
}
