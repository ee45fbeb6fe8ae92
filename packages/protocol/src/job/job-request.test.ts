import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isJobId, jobIdKey, readJobRequest } from './job-request.ts'

const JOB_ID = '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c'

function request(changes: object = {}): { readonly [key: string]: unknown } {
  return {
    service_version: '1.0',
    job_id: JOB_ID,
    task: { capability: 'count', input: { text: 'a b' } },
    deadline: 1_790_000_000,
    ...changes,
  }
}

/** The refusal in the form of the response, or undefined. */
function refusalOf(body: unknown): string | undefined {
  const read = readJobRequest(body)
  return read.ok ? undefined : `${read.field}: ${read.reason}`
}

describe('a good request', () => {
  test('is read as it was sent', () => {
    expect(readJobRequest(request())).toEqual({ ok: true, request: request() })
  })

  test('may omit the capability, and none is filled in', () => {
    const read = readJobRequest(request({ task: { input: {} } }))
    expect(read).toEqual({ ok: true, request: request({ task: { input: {} } }) })
    expect(read.ok && Object.hasOwn(read.request.task, 'capability')).toBe(false)
  })

  test.each([null, 7, ['count'], '__proto__', ''])(
    'D21 keeps the capability %j, to be refused by name',
    capability => {
      expect(readJobRequest(request({ task: { capability, input: {} } }))).toMatchObject({
        ok: true,
        request: { task: { capability } },
      })
    },
  )

  test('removes unknown keys', () => {
    const read = readJobRequest({ ...request({ task: { input: {}, priority: 1 } }), trace: 'x' })
    expect(read).toEqual({ ok: true, request: request({ task: { input: {} } }) })
  })

  test('D16 echoes an upper-case job_id as sent', () => {
    const job_id = JOB_ID.toUpperCase()
    expect(readJobRequest(request({ job_id }))).toMatchObject({ ok: true, request: { job_id } })
  })

  test.each([0, -1, 1.5, 1_500_000_000.5, 99_999_999_999.9])(
    'DDL-06 accepts a deadline of %s: it is compared with the time later',
    deadline => {
      expect(refusalOf(request({ deadline }))).toBeUndefined()
    },
  )
})

describe('refused requests', () => {
  test.each([
    [null, 'null'],
    [[], 'an array'],
    ['{}', 'a string'],
    [7, 'a number'],
    [true, 'a boolean'],
  ])('VAL-12 the body %j', (body, name) => {
    expect(refusalOf(body)).toBe(`body: must be a JSON object, got ${name}`)
  })

  test.each([
    [{ service_version: undefined }, 'service_version: is required and must be "1.0"'],
    [{ service_version: 1 }, 'service_version: must be "1.0"'],
    [{ service_version: '1' }, 'service_version: must be "1.0"'],
    [{ service_version: '1.0 ' }, 'service_version: must be "1.0"'],
    [{ service_version: '2.0' }, 'service_version: must be "1.0"'],
  ])('VAL-11 %j', (changes, refusal) => {
    expect(refusalOf(request(changes))).toBe(refusal)
  })

  test.each([
    [{ task: undefined }, 'task: is required'],
    [{ task: null }, 'task: must be an object, got null'],
    [{ task: [] }, 'task: must be an object, got an array'],
    [{ task: {} }, 'task.input: is required'],
    [{ task: { input: null } }, 'task.input: must be an object, got null'],
    [{ task: { input: ['a'] } }, 'task.input: must be an object, got an array'],
    [{ task: { input: 'a' } }, 'task.input: must be an object, got a string'],
  ])('VAL-12 %j', (changes, refusal) => {
    expect(refusalOf(request(changes))).toBe(refusal)
  })

  test.each([
    [{ deadline: undefined }, 'deadline: is required'],
    [{ deadline: null }, 'deadline: must be a finite number of Unix seconds, got null'],
    [{ deadline: '1790000000' }, 'deadline: must be a finite number of Unix seconds, got a string'],
    [{ deadline: NaN }, 'deadline: must be a finite number of Unix seconds, got NaN'],
    [{ deadline: JSON.parse('1e400') }, 'deadline: must be a finite number of Unix seconds, got Infinity'],
  ])('DDL-06 %j', (changes, refusal) => {
    expect(refusalOf(request(changes))).toBe(refusal)
  })

  test.each([1e11, 1_790_000_000_000, 2 ** 60])(
    'DDL-05 a deadline of %s, which looks like milliseconds',
    deadline => {
      expect(refusalOf(request({ deadline }))).toBe(
        'deadline: must be Unix seconds, this looks like milliseconds',
      )
    },
  )

  test('D14 the first fault is reported, in the order of the fields', () => {
    expect(refusalOf({})).toMatch(/^service_version/)
    expect(refusalOf({ service_version: '1.0' })).toBe('job_id: is required')
    expect(refusalOf({ service_version: '1.0', job_id: JOB_ID })).toBe('task: is required')
    expect(refusalOf({ service_version: '1.0', job_id: JOB_ID, task: { input: {} } })).toBe(
      'deadline: is required',
    )
  })

  test('VAL-01 nothing is read from a prototype in the JSON', () => {
    expect(refusalOf(JSON.parse(`{"__proto__":${JSON.stringify(request())}}`))).toMatch(
      /^service_version: is required/,
    )
    expect({}).not.toHaveProperty('job_id')
  })

  test('any JSON is read as a request or refused naming the field at fault', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('service_version', 'job_id', 'task', 'deadline'),
        (value, key) => {
          expect(readJobRequest(value).ok).toBe(false)
          expect(refusalOf(request({ [key]: value })) ?? key).toMatch(new RegExp(`^${key}`))
        },
      ),
    )
  })
})

describe('job_id', () => {
  test.each([
    ['braces', `{${JOB_ID}}`],
    ['a urn', `urn:uuid:${JOB_ID}`],
    ['version 1', '3f8a2c1e-9b4d-1f6a-8c2b-1d5e7f9a0b3c'],
    ['version 7', '0190a5c8-7c3e-7f6a-8c2b-1d5e7f9a0b3c'],
    ['the nil UUID', '00000000-0000-0000-0000-000000000000'],
    ['the max UUID', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
    ['another variant', '3f8a2c1e-9b4d-4f6a-cc2b-1d5e7f9a0b3c'],
    ['no hyphens', JOB_ID.replaceAll('-', '')],
    ['a trailing newline', `${JOB_ID}\n`],
    ['a leading space', ` ${JOB_ID}`],
    ['10 KB', 'a'.repeat(10_240)],
    ['nothing', ''],
    ['letters beyond f', JOB_ID.replace('f', 'g')],
    ['full-width digits', JOB_ID.replace('3', '３')],
    ['a number', 7],
    ['null', null],
    ['an array of it', [JOB_ID]],
  ])('IDM-05 %s is not a canonical UUID v4', (_, jobId) => {
    expect(isJobId(jobId)).toBe(false)
    expect(refusalOf(request({ job_id: jobId }))).toMatch(/^job_id: must be a canonical UUID v4/)
  })

  test('D16 every UUID v4 is accepted, and in either case it identifies the same job', () => {
    fc.assert(
      fc.property(fc.uuid({ version: 4 }), jobId => {
        expect(isJobId(jobId)).toBe(true)
        expect(isJobId(jobId.toUpperCase())).toBe(true)
        expect(jobIdKey(jobId.toUpperCase())).toBe(jobIdKey(jobId))
      }),
    )
  })
})
