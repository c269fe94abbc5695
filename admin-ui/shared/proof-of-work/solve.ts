import type { Challenge, Report } from './worker.ts'

/** The probability that a solution is found within this number of tries. As a progress bar it always moves, and is never full too early. */
const chanceBy = (tried: number, difficulty: number) => 1 - Math.exp(-tried / 2 ** difficulty)

/**
 * Solves a challenge in a worker, so that the page stays responsive, and reports the progress in percent. Throws if it is stopped, or if
 * the browser cannot run the worker.
 */
export const solve = (challenge: Challenge, onProgress: (percent: number) => void, stop: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
    const end = (settle: () => void) => {
      worker.terminate()
      settle()
    }
    stop.addEventListener('abort', () => end(() => reject(stop.reason)), { once: true })
    worker.addEventListener('error', ({ message }) => end(() => reject(new Error(message))))
    worker.addEventListener('message', ({ data }: MessageEvent<Report>) => {
      if ('solution' in data) return end(() => resolve(data.solution))
      onProgress(Math.floor(chanceBy(data.tried, challenge.difficulty) * 100))
    })
    worker.postMessage(challenge)
  })
