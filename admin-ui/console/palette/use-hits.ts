import { useEffect, useState } from 'react'
import { useConsole } from '../api.ts'
import { visibleGroups } from '../groups.ts'
import type { Hit } from './lookups.ts'
import { lookups } from './lookups.ts'
import type { Guess } from './recognise.ts'

/** Delay between the last keystroke and the request, in milliseconds. */
const settledMs = 120

const textOf = (guess: Guess | undefined) => (guess === undefined || guess.kind === 'jwt' ? undefined : guess.text)

/** Search results for a text, in the order of the searches. A search that the server refuses, or that finds nothing, is left out. */
export const useHits = (guess: Guess | undefined): { readonly hits: readonly Hit[]; readonly isSearching: boolean } => {
  const { api, access } = useConsole()
  const [found, setFound] = useState<{ readonly text: string; readonly hits: readonly Hit[] }>()
  const kind = guess?.kind
  const text = textOf(guess)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the search depends on the text.
  useEffect(() => {
    if (text === undefined || kind === undefined || kind === 'path') return
    let isCurrent = true
    const screens = visibleGroups(access.permissions).flatMap((group) => group.screens.map(({ path }) => path))
    const look = async () => {
      const answers = await Promise.allSettled(
        lookups
          .filter(({ screen, takes }) => takes.includes(kind) && screens.includes(screen))
          .map(({ find }) => find(api, text)),
      )
      const hits = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
      if (isCurrent) setFound({ text, hits })
    }
    const timer = setTimeout(() => void look(), settledMs)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [text, kind])
  if (text === undefined) return { hits: [], isSearching: false }
  if (kind === 'path') return { hits: [{ path: text, title: text, detail: '' }], isSearching: false }
  const isSearching = found?.text !== text
  // Enter opens the highlighted result. Results for an earlier text are therefore hidden while a search is running.
  return { hits: isSearching ? [] : found.hits, isSearching }
}
