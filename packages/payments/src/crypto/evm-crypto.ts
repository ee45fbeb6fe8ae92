// Programs that include only this file need its ambient declarations too.
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="./secp256k1-bindings.d.ts" />
import type wrapContext from 'secp256k1/lib/index.js'
import { toHex } from './bytes.ts'

/**
 * The hash and the elliptic curve of Ethereum, loaded once per process and passed to the code that signs or verifies. All
 * functions are synchronous, so the check of a payment is never interrupted.
 */
export interface EvmCrypto {
  /** Which implementation of the curve is in use. */
  readonly curve: 'native' | 'wasm'
  /** Keccak-256 of the bytes, 32 bytes. */
  readonly keccak256: (bytes: Uint8Array) => Uint8Array
  /**
   * The lower-case address that signed a digest, or undefined for a signature that the token would refuse: the token accepts
   * 65 bytes, v 27 or 28, low s, a point on the curve (Circle's ECRecover).
   */
  recoverAddress(digest: Uint8Array, signature: Uint8Array): string | undefined
  /** 65 bytes r ‖ s ‖ v over a 32-byte digest, deterministic (RFC 6979), low s. */
  sign(digest: Uint8Array, privateKey: Uint8Array): Uint8Array
  /** The lower-case address of a private key. Throws a `RangeError` for an invalid key. */
  addressOf(privateKey: Uint8Array): string
}

/** How the curve is loaded. */
export interface EvmCryptoOptions {
  /** The implementation to use; default: native, or wasm if the native one does not load. */
  readonly curve?: 'native' | 'wasm'
  /** Called when the native curve did not load and the slower wasm one is used. */
  readonly onFallback?: (reason: string) => void
}

/**
 * Loads the hash and the curve: libsecp256k1 as a native addon, or as WebAssembly when the addon does not load.
 *
 * Throws when `curve: 'native'` was requested and does not load.
 *
 * @example
 * ```ts
 * import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
 *
 * const crypto = await loadEvmCrypto({ onFallback: reason => console.warn(reason) })
 * console.log(crypto.curve) // native
 * console.log(crypto.addressOf(globalThis.crypto.getRandomValues(new Uint8Array(32))))
 * ```
 */
export async function loadEvmCrypto(options: EvmCryptoOptions = {}): Promise<EvmCrypto> {
  const [keccak256, curve] = await Promise.all([loadKeccak(), loadCurve(options)])
  const addressOfPoint = (point: Uint8Array): string => toHex(keccak256(point.subarray(1)).subarray(12))
  return {
    curve: curve.name,
    keccak256,
    recoverAddress(digest, signature) {
      const v = signature[64]
      if (signature.length !== 65 || (v !== 27 && v !== 28) || !hasLowS(signature)) return undefined
      const point = curve.recover(digest, signature.subarray(0, 64), v === 27 ? 0 : 1)
      return point && addressOfPoint(point)
    },
    sign(digest, privateKey) {
      const { signature, recoveryId } = curve.sign(digest, privateKey)
      const bytes = new Uint8Array(65)
      bytes.set(signature)
      bytes[64] = 27 + recoveryId
      return bytes
    },
    addressOf(privateKey) {
      const point = curve.publicKey(privateKey)
      if (point === undefined)
        throw new RangeError('a private key is 32 bytes, more than zero and below the order of secp256k1')
      return addressOfPoint(point)
    },
  }
}

interface Curve {
  readonly name: 'native' | 'wasm'
  /** The 65-byte uncompressed public key, or undefined when none can be recovered. */
  recover(digest: Uint8Array, signature: Uint8Array, recoveryId: 0 | 1): Uint8Array | undefined
  sign(
    digest: Uint8Array,
    privateKey: Uint8Array,
  ): { readonly signature: Uint8Array; readonly recoveryId: number }
  publicKey(privateKey: Uint8Array): Uint8Array | undefined
}

/** Loads only the hash: enough to check an address, at a tenth of the curve's start-up cost. */
export async function loadKeccak(): Promise<EvmCrypto['keccak256']> {
  const {
    default: { createKeccak },
  } = await import('hash-wasm/dist/keccak.umd.min.js')
  const hasher = await createKeccak(256)
  return bytes => hasher.init().update(bytes).digest('binary')
}

async function loadCurve({ curve, onFallback }: EvmCryptoOptions): Promise<Curve> {
  if (curve === 'wasm') return await loadWasmCurve()
  try {
    return await loadNativeCurve()
  } catch (error) {
    if (curve === 'native') throw error
    onFallback?.(error instanceof Error ? error.message : String(error))
    return await loadWasmCurve()
  }
}

type Context = ReturnType<typeof wrapContext>

/** The context of this process: creating its tables takes about twenty milliseconds. */
let context: Context | undefined

async function loadNativeCurve(): Promise<Curve> {
  const open = await loadAddon()
  // Created at the first signature, to keep start-up and `/health` fast: nothing else here takes as long to load.
  const secp256k1 = (): Context => (context ??= open())
  return {
    name: 'native',
    recover: (digest, signature, recoveryId) =>
      orUndefined(() => secp256k1().ecdsaRecover(signature, recoveryId, digest, false)),
    sign(digest, privateKey) {
      const { signature, recid } = secp256k1().ecdsaSign(digest, privateKey)
      return { signature, recoveryId: recid }
    },
    publicKey: privateKey => orUndefined(() => secp256k1().publicKeyCreate(privateKey, false)),
  }
}

/** Does the work of `secp256k1/bindings.js` in two steps: loads the addon, and returns a function that creates a context. */
async function loadAddon(): Promise<() => Context> {
  const [{ createRequire }, { default: loadBuild }, { default: wrap }] = await Promise.all([
    import('node:module'),
    import('node-gyp-build'),
    import('secp256k1/lib/index.js'),
  ])
  const manifest = createRequire(import.meta.url).resolve('secp256k1/package.json')
  const { Secp256k1 } = loadBuild(manifest.slice(0, -'package.json'.length))
  return () => wrap(new Secp256k1())
}

async function loadWasmCurve(): Promise<Curve> {
  // Imports the single module: the package's main entry loads a complete bitcoin toolkit.
  const { instantiateSecp256k1 } = await import('@bitauth/libauth/build/lib/crypto/secp256k1.js')
  const secp256k1 = await instantiateSecp256k1()
  return {
    name: 'wasm',
    recover: (digest, signature, recoveryId) =>
      digest.length === 32
        ? bytesOrUndefined(secp256k1.recoverPublicKeyUncompressed(signature, recoveryId, digest))
        : undefined,
    sign(digest, privateKey) {
      if (privateKey.length !== 32 || digest.length !== 32)
        throw new RangeError('a private key and a digest have 32 bytes each')
      const signed = secp256k1.signMessageHashRecoverableCompact(privateKey, digest)
      if (typeof signed === 'string') throw new RangeError(signed)
      return signed
    },
    // The library reads 32 bytes whatever the length of its argument.
    publicKey: privateKey =>
      privateKey.length === 32
        ? bytesOrUndefined(secp256k1.derivePublicKeyUncompressed(privateKey))
        : undefined,
  }
}

/** This library returns an error message when there is no result. */
function bytesOrUndefined(result: Uint8Array | string): Uint8Array | undefined {
  return typeof result === 'string' ? undefined : result
}

/** The addon throws for an invalid signature or key, which is an expected outcome here. */
function orUndefined<T>(compute: () => T | undefined): T | undefined {
  try {
    return compute()
  } catch {
    return undefined
  }
}

/** Half the order of secp256k1 (SEC 2, section 2.4.1), the largest s that Circle's token accepts. */
const HALF_ORDER = Uint8Array.from(
  '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0'.match(/../g) ?? [],
  byte => Number.parseInt(byte, 16),
)

function hasLowS(signature: Uint8Array): boolean {
  for (let index = 0; index < 32; index += 1) {
    const byte = signature[32 + index] ?? 0
    const limit = HALF_ORDER[index] ?? 0
    if (byte !== limit) return byte < limit
  }
  return true
}
