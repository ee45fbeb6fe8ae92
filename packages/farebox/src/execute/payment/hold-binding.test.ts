import { beforeAll, expect, test } from 'vitest'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { holdBinding } from './hold-binding.ts'

const JOB = {
  agent: 'https://agent.example',
  capability: 'count',
  jobId: '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c',
}

let crypto: EvmCrypto

beforeAll(async () => {
  crypto = await loadEvmCrypto()
})

test('D10 the binding is the hash of agent, capability and job_id as a JSON array', () => {
  // keccak256 of ["https://agent.example","count","3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c"], computed by another library.
  expect(holdBinding(crypto, JOB)).toBe('0xde4430a054d4efc50b80ec3daa63568c6a059e9e8bccbcd6fd28e8c09ef16bf0')
})

test('D16 two spellings of a job_id have one binding', () => {
  expect(holdBinding(crypto, { ...JOB, jobId: JOB.jobId.toUpperCase() })).toBe(holdBinding(crypto, JOB))
})

test('PAY-06 another agent, capability or job has another binding, even when the joined texts are equal', () => {
  const bindings = [
    JOB,
    { ...JOB, agent: 'https://other.example' },
    { ...JOB, capability: 'sum' },
    { ...JOB, jobId: '4f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c' },
    { ...JOB, agent: 'https://agent.examplec', capability: 'ount' },
    { ...JOB, agent: 'https://agent.example","count', capability: '' },
  ].map(job => holdBinding(crypto, job))
  expect(new Set(bindings).size).toBe(bindings.length)
})
