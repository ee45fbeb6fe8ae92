import { BlockFromFuture } from '@farebox/payments/chain/block-time'
import type { Network } from '@farebox/payments/networks'
import { nowSeconds, type Clock } from '@farebox/protocol/time/clock'
import type { ChainReader } from './chain/chain-reader.ts'
import type { ReadinessCheck } from './http/health-routes.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { ChainWatch } from './relayer/watch-chain.ts'
import { keep } from './scrape-sources.ts'

/** The checks of `/ready`: whether ledger, chain and relayer accounts are usable. */
export function readinessChecks(
  ledger: Ledger,
  reader: ChainReader,
  watch: ChainWatch,
  network: Network,
  clock: Clock,
): { readonly [name: string]: ReadinessCheck } {
  return {
    // The result is cached because the route is public and its request rate is not limited.
    database: keep(clock, () =>
      ledger.totals(network.id, nowSeconds(clock)).then(
        () => undefined,
        () => 'the ledger cannot be reached',
      ),
    ),
    chain: keep(clock, () =>
      reader.readHead().then(
        () => undefined,
        (error: unknown) =>
          error instanceof BlockFromFuture ? error.message : 'the chain cannot be reached',
      ),
    ),
    relayer: async () => await Promise.resolve(watch.unusable()),
  }
}
