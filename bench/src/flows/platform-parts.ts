import { LOCAL_AGENT_REGISTRY_ADDRESS } from '@farebox/contracts/addresses'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { createChecker } from '@farebox/platform/checking/checker'
import { createDueWork } from '@farebox/platform/src/work/due-work'
import { CHECK_INTERVAL_MS, REFRESH_INTERVAL_MS, type PlatformParts } from '@farebox/platform/platform-parts'
import { createPaymentSeal } from '@farebox/platform/sealing/payment-seal'
import { openStorage } from '@farebox/platform/storage/open-storage'
import { systemClock } from '@farebox/protocol/time/clock'
import { silentLog } from '@farebox/server/log'
import { NETWORK } from '../stage/sign-jobs.ts'
import { stubOutbound, stubRpc } from './stub-world.ts'

/** The parts of a platform with stubs for agents and chain; everything else is as shipped. */
export async function openParts(connectionString: string, schema: string): Promise<PlatformParts> {
  return {
    database: await openStorage({ connectionString, schema, connections: 10 }),
    outbound: stubOutbound,
    checker: createChecker({ clock: systemClock }),
    clock: systemClock,
    due: createDueWork(systemClock),
    log: silentLog,
    crypto: await loadEvmCrypto({ curve: 'native' }),
    seal: createPaymentSeal(`0x${'5e'.repeat(32)}`),
    rpc: stubRpc,
    network: NETWORK,
    settings: {
      publicUrl: 'http://127.0.0.1:4020',
      localMode: true,
      registryAddress: LOCAL_AGENT_REGISTRY_ADDRESS.toLowerCase(),
      confirmations: 2,
      checkIntervalMs: CHECK_INTERVAL_MS,
      refreshIntervalMs: REFRESH_INTERVAL_MS,
      facilitator: undefined,
      operatorToken: undefined,
      canaryBudgetAtomic: 0n,
      canaryKey: undefined,
      faucetKey: undefined,
    },
  }
}

/** Closes the parts that {@link openParts} has opened. */
export async function closeParts({ database, checker }: PlatformParts): Promise<void> {
  await checker.close()
  await database.pool.end()
}
