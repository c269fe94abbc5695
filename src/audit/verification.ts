import type { Progress, Verification } from '../core/events/verify.ts'

/** The progress of a verification and then its result, one JSON object a line: a long one keeps its connection busy. */
export async function* verificationLines(steps: AsyncGenerator<Progress, Verification>): AsyncGenerator<string> {
  try {
    for (;;) {
      const step = await steps.next()
      yield `${JSON.stringify(step.done === true ? { result: step.value } : { progress: step.value })}\n`
      if (step.done === true) return
    }
  } finally {
    // A reader that went away ends the verification.
    await steps.return(undefined as never)
  }
}
