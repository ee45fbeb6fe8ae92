import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeSecretFile } from '../home/secret-file.ts'
import type { PermissionNames } from './chain/read-set-events.ts'

/** What permissions that were set from here are for, in `<home>/limits`: many nodes do not tell old logs. */
export interface KeptPermissions {
  /** Written before anything is sent. */
  write(owner: string, names: PermissionNames): Promise<void>
  /** Those of an owner on the chain, the oldest first; what cannot be read is left out, the chain has the amounts. */
  list(owner: string): Promise<readonly PermissionNames[]>
}

interface Kept {
  readonly version: 1
  readonly chainId: number
  readonly owner: string
  /** Unix seconds of the first writing. */
  readonly firstAt: number
  readonly names: PermissionNames
}

/** Opens them for one chain. */
export function openKeptPermissions(home: string, chainId: number, nowMs: () => number): KeptPermissions {
  const folder = join(home, 'limits')
  const pathOf = (owner: string, id: string): string =>
    join(
      folder,
      `${createHash('sha256').update(`${chainId}\n${owner}\n${id}`).digest('hex').slice(0, 32)}.json`,
    )
  return {
    async write(owner, names) {
      const path = pathOf(owner, names.id)
      const firstAt = (await readKept(path))?.firstAt ?? Math.floor(nowMs() / 1_000)
      const kept = {
        version: 1,
        chainId,
        owner,
        firstAt,
        names: { ...names, agentId: String(names.agentId) },
      }
      await writeSecretFile(path, `${JSON.stringify(kept, null, 2)}\n`)
    },
    async list(owner) {
      const files = (await readdir(folder).catch(() => [])).filter(name => name.endsWith('.json'))
      const all = await Promise.all(files.map(name => readKept(join(folder, name))))
      return all
        .filter(one => one?.chainId === chainId && one.owner === owner)
        .filter(one => one !== undefined)
        .toSorted((one, other) => one.firstAt - other.firstAt)
        .map(({ names }) => names)
    },
  }
}

async function readKept(path: string): Promise<Kept | undefined> {
  try {
    return asKept(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    return undefined
  }
}

function asKept(value: unknown): Kept | undefined {
  const { version, chainId, owner, firstAt, names } = fieldsOf(value)
  const { id, spender, token, agentId, capability, recipients } = fieldsOf(names)
  if (version !== 1 || typeof chainId !== 'number' || typeof firstAt !== 'number') return undefined
  if (!isHex(owner, 20) || !isHex(id, 32) || !isHex(spender, 20) || !isHex(token, 20)) return undefined
  if (typeof agentId !== 'string' || !/^\d{1,78}$/.test(agentId) || typeof capability !== 'string')
    return undefined
  if (!Array.isArray(recipients) || !recipients.every(one => isHex(one, 20))) return undefined
  const read = { id, spender, token, agentId: BigInt(agentId), capability, recipients }
  return { version, chainId, owner, firstAt, names: read }
}

function fieldsOf(value: unknown): { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null ? (value as { readonly [key: string]: unknown }) : {}
}

/** Lower case, of so many bytes. */
function isHex(value: unknown, bytes: number): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]*$/.test(value) && value.length === 2 + 2 * bytes
}
