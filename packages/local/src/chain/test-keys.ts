/** An address with the key that signs for it. */
export interface TestKey {
  readonly address: `0x${string}`
  readonly privateKey: `0x${string}`
}

/**
 * PUBLIC TEST KEYS, NEVER FOR REAL MONEY. They are the first accounts of the mnemonic that anvil, Hardhat and every
 * tutorial use, "test test test test test test test test test test test junk" (m/44'/60'/0'/0/n): any money they hold on a
 * public chain is stolen within seconds.
 *
 * On a local chain each account starts with 10,000 test ETH. Each has one role, so that two parts never use the same
 * account's transaction nonces.
 *
 * @example
 * ```ts
 * import { TEST_KEYS } from '@farebox/local/chain/test-keys'
 * import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
 * import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
 *
 * export const payer = privateKeySigner(await loadEvmCrypto(), TEST_KEYS.payer.privateKey)
 * ```
 */
export const TEST_KEYS = {
  /** Deploys and owns the contracts. */
  deployer: {
    address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    privateKey: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  },
  /** Pays the gas of settlements: the facilitator's account. */
  relayer: {
    address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    privateKey: '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  },
  /** Pays for jobs. */
  payer: {
    address: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    privateKey: '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  },
  /** A second payer, for cases that need more than one. */
  secondPayer: {
    address: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
    privateKey: '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  },
  /** The wallet that receives the first agent's payments. */
  agent: {
    address: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
    privateKey: '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
  },
  /** The wallet that receives the second agent's payments. */
  secondAgent: {
    address: '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc',
    privateKey: '0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba',
  },
  /** The wallet that receives the third agent's payments. */
  thirdAgent: {
    address: '0x976EA74026E726554dB657fA54763abd0C3a0aa9',
    privateKey: '0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e',
  },
  /** The wallet that receives the fourth agent's payments. */
  fourthAgent: {
    address: '0xBcd4042DE499D14e55001CcbB24a551F3b954096',
    privateKey: '0xf214f2b2cd398c806f84e317254e0f0b801d0643303237d97a22a48e01628897',
  },
  /** Spends what payers permit: the spender account of the fourth agent. */
  spender: {
    address: '0x71bE63f3384f5fb98995898A86B02Fb2426c5788',
    privateKey: '0x701b615bbdfb9de65240bc28bd21bbc0d996645a3dd57e7b12bc2bdf6f192c82',
  },
  /** The wallet that receives the fifth agent's payments. */
  fifthAgent: {
    address: '0xFABB0ac9d68B0B445fB7357272Ff202C5651694a',
    privateKey: '0xa267530f49f8280200edf313ee7af6b827f2a8bce2897751d06a843f644967b1',
  },
  /** The wallet from which the fifth agent pays the agents that it hires. */
  hirer: {
    address: '0x1CBd3b2770909D4e10f157cABC84C7264073C9Ec',
    privateKey: '0x47c99abed3324a2707c28affff1267e45918ec8c3f20b8aa892e8b065d2942dd',
  },
  /** The wallet that receives the payments of an agent that joins a running economy. */
  joiningAgent: {
    address: '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
    privateKey: '0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6',
  },
  /** Hands out test money. */
  faucet: {
    address: '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955',
    privateKey: '0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356',
  },
  /** An account without a role: the attacker in tests. */
  stranger: {
    address: '0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f',
    privateKey: '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97',
  },
} as const satisfies Readonly<Record<string, TestKey>>
