import { createSearch } from './search.ts'

/** Number of tries between two reports. */
const step = 10_000

/** The messages between page and worker: the challenge, and then the number of tries or the solution. */
export interface Challenge {
  readonly challenge: string
  readonly difficulty: number
}
export type Report = { readonly tried: number } | { readonly solution: string }

const tell = (report: Report) => postMessage(report)

addEventListener('message', ({ data }: MessageEvent<Challenge>) => {
  const search = createSearch(data.challenge, data.difficulty)
  for (let tried = step; ; tried += step) {
    const solution = search(step)
    if (solution !== undefined) return tell({ solution })
    tell({ tried })
  }
})
