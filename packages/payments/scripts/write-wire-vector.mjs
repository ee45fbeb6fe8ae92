// Writes docs/wire-vector.json: one payment with every value on the way to its header, for implementers in other languages.
//   node --conditions=@farebox/built scripts/write-wire-vector.mjs          writes the file
//   node --conditions=@farebox/built scripts/write-wire-vector.mjs --check  compares it with what is there; exits 1 where they differ
// The packages must be built.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AUTHORIZATION_TYPES, createAuthorizationHasher } from '@farebox/payments/authorization/eip-3009'
import { concatBytes, fromHex, toHex } from '@farebox/payments/internal/crypto/bytes'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { findNetwork } from '@farebox/payments/networks'
import { bindNonce, NONCE_EXTENSION } from '@farebox/payments/authorization/nonce-binding'
import { encodeHeader } from '@farebox/payments/x402/payment-header'
import {
  createRequirement,
  paymentRequiredBody,
  paymentRequiredHeader,
} from '@farebox/payments/x402/requirement'

const file = fileURLToPath(new URL('../../../docs/wire-vector.json', import.meta.url))
const text = `${JSON.stringify(await makeVector(), null, 2)}\n`

if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (readIfThere() !== text) {
  console.error('docs/wire-vector.json: out of date; run npm run check -- --fix')
  process.exitCode = 1
}

async function makeVector() {
  const crypto = await loadEvmCrypto()
  const network = findNetwork('eip155:84532')
  // The third key of the mnemonic that every tutorial uses: it has never held anything.
  const privateKey = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'
  const payTo = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
  const agent = {
    name: 'Shout',
    capability: 'shout',
    description: 'The text in capitals.',
    max_deadline_seconds: 5,
  }
  const endpoint = 'https://agent.example/execute'
  const jobId = '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c'
  const salt = '0x000102030405060708090a0b0c0d0e0f'
  const validBefore = 1_800_000_060
  const requirement = createRequirement({
    network,
    payTo,
    amountAtomic: 1_000n,
    maxDeadlineSeconds: agent.max_deadline_seconds,
  })
  const requiredHeader = paymentRequiredHeader(requirement, { url: endpoint, ...agent })
  const binding = { endpoint, capability: agent.capability, jobId }
  const preimage = concatBytes(new TextEncoder().encode(endpoint + agent.capability + jobId), fromHex(salt))
  const payer = crypto.addressOf(fromHex(privateKey)).toLowerCase()
  const authorization = {
    from: payer,
    to: payTo,
    value: '1000',
    validAfter: '0',
    validBefore: String(validBefore),
    nonce: bindNonce(crypto, binding, fromHex(salt)),
  }
  const hasher = createAuthorizationHasher(crypto, network)
  const digest = hasher.hashTransfer(authorization)
  const signature = toHex(crypto.sign(digest, fromHex(privateKey)))
  const payment = {
    x402Version: 2,
    resource: { url: endpoint, description: agent.capability, mimeType: 'application/json' },
    accepted: requirement,
    payload: { authorization, signature },
    extensions: { [NONCE_EXTENSION]: { salt } },
  }
  return {
    about:
      'One job, paid on Base Sepolia; docs/wire.md explains each value. The key is public: never send it money.',
    private_key: privateKey,
    payer,
    agent: { ...agent, price: '0.001', wallet: payTo },
    request: {
      url: endpoint,
      body: JSON.stringify({
        service_version: '1.0',
        job_id: jobId,
        task: { capability: agent.capability, input: { text: 'exact fare, please' } },
        deadline: 1_800_000_000,
      }),
    },
    payment_required: {
      status: 402,
      body: JSON.stringify(
        paymentRequiredBody(requirement, { agent: agent.name, capability: agent.capability }),
      ),
      header: requiredHeader,
      header_json: Buffer.from(requiredHeader, 'base64').toString('utf8'),
    },
    nonce: {
      magic: '0x66617265',
      salt,
      preimage: toHex(preimage),
      keccak256: toHex(crypto.keccak256(preimage)),
      nonce: authorization.nonce,
    },
    typed_data: {
      types: {
        EIP712Domain: [
          { name: 'name', type: 'string' },
          { name: 'version', type: 'string' },
          { name: 'chainId', type: 'uint256' },
          { name: 'verifyingContract', type: 'address' },
        ],
        ...AUTHORIZATION_TYPES,
      },
      primaryType: 'TransferWithAuthorization',
      domain: { ...network.asset.domain, chainId: network.chainId, verifyingContract: network.asset.address },
      message: authorization,
    },
    domain_separator: toHex(hasher.domainSeparator),
    digest: toHex(digest),
    signature,
    payment_signature: { header_json: JSON.stringify(payment), header: encodeHeader(payment) },
  }
}

function readIfThere() {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}
