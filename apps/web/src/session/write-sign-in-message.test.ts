import { expect, test } from 'vitest'
import { writeSignInMessage } from './write-sign-in-message.ts'

const TERMS = {
  nonce: '6a7ddeb3d97d3ac37943d9209a01b98c',
  domain: 'platform.example',
  uri: 'https://platform.example',
  version: '1',
  chain_id: 8453,
  issued_at: '2026-11-23T14:04:39.614Z',
  expiration_time: '2026-11-23T14:09:39.614Z',
} as const

test('the text to sign in with has each line of EIP-4361 in its place, the address with its checksum', () => {
  const text = writeSignInMessage(TERMS, '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65')
  expect(text.split('\n')).toEqual([
    'platform.example wants you to sign in with your Ethereum account:',
    '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
    '',
    'Sign in to Farebox. This sends no transaction and costs nothing.',
    '',
    'URI: https://platform.example',
    'Version: 1',
    'Chain ID: 8453',
    'Nonce: 6a7ddeb3d97d3ac37943d9209a01b98c',
    'Issued At: 2026-11-23T14:04:39.614Z',
    'Expiration Time: 2026-11-23T14:09:39.614Z',
  ])
})
