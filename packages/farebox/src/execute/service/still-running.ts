import { DeadlineError } from '@farebox/protocol/errors/service-errors'

/**
 * The caller is answered 408, but something of its attempt is still under way: `ended` resolves when it no longer is,
 * and does not reject. Until then the job stays held, so that no other attempt runs beside it (D24).
 */
export class StillRunning extends DeadlineError {
  readonly ended: Promise<void>

  constructor(message: string, ended: Promise<void>) {
    super(message)
    this.ended = ended
  }
}
