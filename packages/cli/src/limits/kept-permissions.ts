import { join } from 'node:path'
import type { PermissionNames } from './chain/read-set-events.ts'
import { type Fields, keptFile, listKept } from '../home/record-folder.ts'
import { objectOf } from '@farebox/protocol/internal/guards/json'

/**
 * The purpose of permissions that were set from this machine, in `<home>/limits`, because many nodes do not provide old
 * logs.
 */
export interface KeptPermissions {
  /** Writes a record; called before anything is sent. */
  write(owner: string, names: PermissionNames): Promise<void>
  /**
   * Returns those of an owner on the chain, the oldest first. Unreadable records are left out, because the chain has the
   * amounts.
   */
  list(owner: string): Promise<readonly PermissionNames[]>
}

interface Kept {
  readonly version: 1
  readonly chainId: number
  readonly owner: string
  /** Unix seconds of the first write. */
  readonly firstAt: number
  readonly names: Omit<PermissionNames, 'agentId'> & { readonly agentId: string }
}

export function openKeptPermissions(home: string, chainId: number, nowMs: () => number): KeptPermissions {
  const folder = join(home, 'limits')
  return {
    async write(owner, names) {
      const file = keptFile(folder, [chainId, owner, names.id], '.json', asKept, 'is none')
      const firstAt = (await file.read())?.firstAt ?? Math.floor(nowMs() / 1_000)
      const written = { ...names, agentId: String(names.agentId) }
      await file.write({ version: 1, chainId, owner, firstAt, names: written })
    },
    async list(owner) {
      const all = await listKept(folder, '.json', asKept, 'is none')
      return all
        .filter(one => one.chainId === chainId && one.owner === owner)
        .toSorted((one, other) => one.firstAt - other.firstAt)
        .map(({ names }) => ({ ...names, agentId: BigInt(names.agentId) }))
    },
  }
}

function asKept({ version, chainId, owner, firstAt, names }: Fields): Kept | undefined {
  const { id, spender, token, agentId, capability, recipients } = objectOf(names)
  if (version !== 1 || typeof chainId !== 'number' || typeof firstAt !== 'number') return undefined
  if (!isHex(owner, 20) || !isHex(id, 32) || !isHex(spender, 20) || !isHex(token, 20)) return undefined
  if (typeof agentId !== 'string' || !/^\d{1,78}$/.test(agentId) || typeof capability !== 'string')
    return undefined
  if (!Array.isArray(recipients) || !recipients.every(one => isHex(one, 20))) return undefined
  const read = { id, spender, token, agentId, capability, recipients }
  return { version, chainId, owner, firstAt, names: read }
}

/** Returns whether the value is lower-case hex with this number of bytes. */
function isHex(value: unknown, bytes: number): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]*$/.test(value) && value.length === 2 + 2 * bytes
}
