import type { Clock } from '@farebox/client/exchange/clock'
import type { Platform } from '@farebox/platform-api/registry'
import type { World } from '../world.ts'
import type { ChosenPlatform } from './find-platform.ts'
import type { OpenPlatform } from './open-platform.ts'
import type { RawRegisterOptions } from './register-options.ts'
import type { RegistrationJournal } from './registration-journal.ts'

/** What a registration is made with. */
export interface Registering {
  readonly world: World
  readonly clock: Clock
  readonly chosen: ChosenPlatform
  readonly platform: OpenPlatform
  /** As the platform describes itself. */
  readonly described: Platform
  readonly journal: RegistrationJournal
  readonly raw: RawRegisterOptions
  /** How long to wait at most, for the stake and for the listing each; undefined: as long as each usually takes. */
  readonly timeoutMs: number | undefined
}
