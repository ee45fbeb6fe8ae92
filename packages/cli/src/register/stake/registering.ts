import type { Clock } from '@farebox/client/internal/exchange/clock'
import type { Platform } from '@farebox/platform-api/registry'
import type { World } from '../../world.ts'
import type { ChosenPlatform } from '../platform/find-platform.ts'
import type { OpenPlatform } from '../platform/open-platform.ts'
import type { RawRegisterOptions } from '../platform/register-options.ts'
import type { RegistrationJournal } from '../platform/registration-journal.ts'

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
