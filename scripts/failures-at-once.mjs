// Prints each failure when it happens: vitest's own report comes after the last test, which may be minutes later.

/** A reporter of vitest, in addition to the default one. */
export class FailuresAtOnce {
  onTestCaseResult(testCase) {
    const result = testCase.result()
    if (result.state !== 'failed') return
    const errors = result.errors.map(({ name, message, diff = '', stack = '' }) => {
      const place = stack.split('\n').find(line => line.includes('.test.ts')) ?? ''
      return `${name}: ${message}\n${diff}\n${place.trim()}`
    })
    process.stdout.write(
      `\nFAILED ${testCase.module.moduleId}\n${testCase.fullName}\n${errors.join('\n')}\n\n`,
    )
  }
}
