import type { OwnedAgents } from '@farebox/platform-api/owners'

/** A wallet to which a secret may take payments. */
export interface PayeeWallet {
  /** Lower-case. */
  readonly address: string
  /** Names of the agents that are paid at this wallet; empty when it is only the owner's own address. */
  readonly agents: readonly string[]
}

/** The wallets of an owner: their own address first, then the proven wallets of their listed agents. */
export function listPayeeWallets(address: string, agents: OwnedAgents['agents']): readonly PayeeWallet[] {
  const wallets = new Map<string, string[]>([[address, []]])
  for (const { standing, wallet, wallet_proven: isProven, name } of agents) {
    if (standing !== 'listed' || wallet === null || !isProven) continue
    wallets.set(wallet, [...(wallets.get(wallet) ?? []), name])
  }
  return [...wallets].map(([of, names]) => ({ address: of, agents: names }))
}
