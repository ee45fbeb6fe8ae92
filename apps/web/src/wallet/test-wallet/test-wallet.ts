import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { keccak } from '../keccak.ts'
import type { Ask } from '../../site/ask.ts'
import type { Wallet } from '../wallet.ts'
import { openLocalChain } from './local-chain.ts'

/** A store for a text that only this page reads. */
export interface KeyStore {
  read(): Promise<string | undefined>
  write(key: string): Promise<void>
}

/**
 * A wallet in the page, for test money on a local chain. Its key is stored in the browser, where every script of this origin
 * can read it. The wallet is used on local chains only.
 */
export async function openTestWallet(store: KeyStore, ask: Ask): Promise<Wallet> {
  const kept = await store.read()
  const key = kept ?? `0x${bytesToHex(secp256k1.utils.randomSecretKey())}`
  if (kept === undefined) await store.write(key)
  const signer = privateKeySigner(curve, key)
  const chain = openLocalChain(ask)
  return {
    kind: 'test',
    name: 'Test wallet',
    address: signer.address,
    signTypedData: typedData => signer.signTypedData(typedData),
    async signPermit(terms) {
      const { permitDigest } = await import('@farebox/contracts/token-permit')
      return `0x${bytesToHex(curve.sign(permitDigest(keccak, terms), hexToBytes(key.slice(2))))}`
    },
    async signMessage(text) {
      const bytes = utf8ToBytes(text)
      const whole = concatBytes(utf8ToBytes(`\u0019Ethereum Signed Message:\n${bytes.length}`), bytes)
      return `0x${bytesToHex(curve.sign(keccak.keccak256(whole), hexToBytes(key.slice(2))))}`
    },
    sendTransaction: transaction =>
      chain.send(
        { from: signer.address, sign: digest => curve.sign(digest, hexToBytes(key.slice(2))) },
        transaction,
      ),
    readChain: chain.read,
    // The wallet only knows the chain of the platform.
    useChain: () => Promise.resolve(),
  }
}

const curve = {
  ...keccak,
  sign(digest: Uint8Array, privateKey: Uint8Array): Uint8Array {
    // The token expects r ‖ s ‖ v; the library puts the recovery id first.
    const signed = secp256k1.sign(digest, privateKey, { prehash: false, format: 'recovered' })
    return concatBytes(signed.subarray(1), Uint8Array.of(27 + (signed[0] ?? 0)))
  },
  addressOf(privateKey: Uint8Array): string {
    const point = secp256k1.getPublicKey(privateKey, false)
    return `0x${bytesToHex(keccak.keccak256(point.subarray(1)).subarray(12))}`
  },
}
