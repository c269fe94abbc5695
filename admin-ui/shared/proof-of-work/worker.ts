import { createSearch } from './search.ts'

/** Told after so many tries. */
const step = 10_000

/** What the page sends, and what it gets: how many texts were tried, or the solution. */
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
