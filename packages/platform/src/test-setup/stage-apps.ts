import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { createApp, type AppOptions } from '../app/create-app.ts'
import type { Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { stagePlatform, type Stage, type StageOptions } from './stage-platform.ts'

/** The apps of a test file, over the parts of one stage. */
export interface StagedApps {
  /** Available from the first test on. */
  readonly parts: PlatformParts
  /** Opens an app with these routes; it is closed after its test. */
  open(routes: readonly Route[], options?: AppOptions & { readonly parts?: PlatformParts }): FastifyInstance
}

/** Stages a platform for the tests of the calling file, and closes the apps that they open. */
export function stageApps(options: StageOptions = {}): StagedApps {
  const apps: FastifyInstance[] = []
  let stage: Stage
  beforeAll(async () => {
    stage = await stagePlatform(options)
  })
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close()
  })
  afterAll(async () => await stage.close())
  return {
    get parts() {
      return stage.parts
    },
    open(routes, { parts = stage.parts, ...appOptions } = {}) {
      const app = createApp(parts, routes, appOptions)
      apps.push(app)
      return app
    },
  }
}
