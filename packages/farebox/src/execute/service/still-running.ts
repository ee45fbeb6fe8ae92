import { DeadlineError } from '@farebox/protocol/errors/service-errors'

/**
 * The caller is answered 408 while a part of its attempt is still running: `ended` resolves when that has ended, and
 * never rejects. Until then the job stays held, so that no other attempt runs beside it (D24).
 */
export class StillRunning extends DeadlineError {
  readonly ended: Promise<void>

  constructor(message: string, ended: Promise<void>) {
    super(message)
    this.ended = ended
  }
}
