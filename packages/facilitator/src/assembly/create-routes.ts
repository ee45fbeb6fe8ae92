import type { Drain } from '@farebox/server/internal/drain'
import { createOutageGate, OPEN_GATE, type OutageGate } from '@farebox/server/internal/postgres/outage-gate'
import type { FastifyInstance } from 'fastify'
import type { Engine } from '../engine/engine.ts'
import { limitCallers } from '../http/caller.ts'
import { createHttpApp } from '../http/create-app.ts'
import { addHealthRoutes } from '../http/health-routes.ts'
import { addOwnersRoutes } from '../http/owners-routes.ts'
import { addReleaseRoute } from '../http/release-route.ts'
import { addSecretsRoutes } from '../http/secrets-routes.ts'
import { addSettleRoute } from '../http/settle-route.ts'
import { addSupportedRoute } from '../http/supported-route.ts'
import { addVerifyRoute } from '../http/verify-route.ts'
import { readinessChecks } from '../readiness.ts'
import type { ChainWatch } from '../relayer/watch-chain.ts'
import { createAuthenticate } from '../secrets/authenticate.ts'
import type { Parts } from './read-parts.ts'

/** Makes the HTTP application with all its routes. */
export function createRoutes(
  parts: Parts,
  engine: Engine,
  { watch, drain }: { readonly watch: ChainWatch; readonly drain: Drain },
): FastifyInstance {
  const { ledger, network, crypto, clock, log, limits, metrics, relayers, reader, adminToken } = parts
  const app = createHttpApp(log, drain.isOn)
  const gate = openGate(app, parts)
  const admission = {
    authenticate: createAuthenticate(ledger.secrets, clock),
    mayAsk: limitCallers(limits.requestsPerSecond, clock),
    gate,
  }
  addVerifyRoute(app, engine, admission, metrics)
  addSettleRoute(app, engine, admission, metrics)
  // Agents repeat a release by themselves, and a hold that is not released ends by itself.
  addReleaseRoute(app, engine, { ...admission, gate: OPEN_GATE }, metrics)
  addSupportedRoute(
    app,
    network,
    relayers.map(({ address }) => address),
  )
  if (adminToken !== undefined) {
    const { secrets, owners } = ledger
    addSecretsRoutes(app, { secrets, crypto, clock, adminToken })
    addOwnersRoutes(app, { owners, limits: limits.owners, clock, adminToken })
  }
  const checks = {
    ...readinessChecks(ledger, reader, watch, network, clock),
    process: async () => await Promise.resolve(drain.isOn() ? 'it is stopping' : undefined),
  }
  addHealthRoutes(app, checks, () => watch.skew())
  return app
}

/** During an outage of the database, requests of agents wait at this gate. */
function openGate(app: FastifyInstance, { ledger, clock, log }: Parts): OutageGate {
  if (ledger.takesWrites === undefined) return OPEN_GATE
  const gate = createOutageGate({
    takesWrites: () => ledger.takesWrites?.() ?? Promise.resolve(true),
    clock,
    onChange: isAway =>
      isAway
        ? log.warn('the database is unavailable: requests of agents wait')
        : log.info('the database is back: waiting requests continue'),
  })
  app.addHook('preClose', done => {
    gate.close()
    done()
  })
  return gate
}
