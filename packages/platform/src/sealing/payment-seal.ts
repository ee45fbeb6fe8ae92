import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts signed payments for the database, so that a reader of the database cannot use them. */
export interface PaymentSeal {
  /** The id of the key that it seals with. It reveals nothing about the key. */
  readonly keyId: string
  /** The ids of all keys that it can open with, including {@link PaymentSeal.keyId}. */
  readonly keyIds: readonly string[]
  /** Encrypts the payment of a job; the result can be opened for that job only. */
  seal(jobId: string, payment: string): string
  /**
   * Returns the payment that {@link PaymentSeal.seal} was given.
   *
   * @throws when it was sealed for another job or with an unknown key, or was modified
   */
  open(jobId: string, sealed: string): string
}

const FORMAT = 's1'
const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

interface Key {
  readonly id: string
  readonly secret: Buffer
}

/**
 * Creates the seal of a platform.
 *
 * @param key - the current key, `0x` and 32 bytes in hex; used to seal and to open
 * @param before - the previous key; used only to open
 * @example
 * ```ts
 * import { createPaymentSeal } from '@farebox/platform/sealing/payment-seal'
 *
 * const seal = createPaymentSeal(`0x${'42'.repeat(32)}`)
 * const jobId = '5f0c1a52-6f0e-4b8a-9d51-0a2f4be391aa'
 * console.log(seal.open(jobId, seal.seal(jobId, 'eyJ4NDAy'))) // eyJ4NDAy
 * ```
 */
export function createPaymentSeal(key: string, before?: string): PaymentSeal {
  const newest = deriveKey(key)
  const keys = before === undefined ? [newest] : [newest, deriveKey(before)]
  return {
    keyId: newest.id,
    keyIds: keys.map(({ id }) => id),
    seal(jobId, payment) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(CIPHER, newest.secret, iv).setAAD(aboutJob(jobId))
      const text = Buffer.concat([cipher.update(payment, 'utf8'), cipher.final()])
      return [FORMAT, newest.id, Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64')].join('.')
    },
    open(jobId, sealed) {
      const [format, id, body = ''] = sealed.split('.')
      const found = keys.find(one => one.id === id)
      if (format !== FORMAT || found === undefined)
        throw new Error('a payment was encrypted with a key that is not here')
      const bytes = Buffer.from(body, 'base64')
      const decipher = createDecipheriv(CIPHER, found.secret, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAAD(aboutJob(jobId)).setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
      return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}

function deriveKey(key: string): Key {
  const given = Buffer.from(key.replace(/^0x/, ''), 'hex')
  if (given.length !== 32) throw new TypeError('a key for payments must be 32 bytes')
  const derive = (info: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', given, '', `farebox payments at rest: ${info}`, bytes))
  return { id: derive('id', 6).toString('hex'), secret: derive('key', 32) }
}

function aboutJob(jobId: string): Buffer {
  return Buffer.from(jobId.toLowerCase(), 'utf8')
}
