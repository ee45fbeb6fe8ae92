import { expect, test } from 'vitest'
import { jobPending } from './job-response.ts'

test('D8 the pending body has the job_id as sent, and asks the caller to repeat the request', () => {
  const jobId = '3F8A2C1E-9B4D-4F6A-8C2B-1D5E7F9A0B3C'
  expect(jobPending(jobId)).toEqual({
    status: 'pending',
    job_id: jobId,
    error: expect.stringMatching(/same job_id.*same payment header/),
    service_version: '1.0',
  })
})
