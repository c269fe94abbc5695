/** Makes the console show one state after another, beginning with the state in the parameter `_state`. For development only. */
import type { Root } from 'react-dom/client'
import { start } from '../../console/start.tsx'
import { answerFrom } from '../answer.ts'
import { performSteps, settled } from '../perform.ts'
import { showTheme } from '../theme.ts'
import { consoleStateOf, consoleStates } from './states.ts'

const query = new URLSearchParams(location.search)
const { dataset } = document.documentElement

// The language comes from the address, not from a choice in this browser.
let language = query.get('ui_locales') ?? 'en'
Object.defineProperty(document, 'cookie', { get: () => `gatehouse.language=${language}`, set: () => undefined })

let shown: Root | undefined

/** Replaces the shown state. Its code and styles are loaded already. */
const showState = async (id: string, inLanguage = language): Promise<void> => {
  const state = consoleStateOf(id)
  if (state === undefined) throw new Error(`there is no state ${id}`)
  const element = document.getElementById('root')
  if (element === null) throw new Error('there is no root')
  shown?.unmount()
  language = inLanguage
  window.fetch = answerFrom(id, state.answers)
  history.replaceState(null, '', state.path)
  scrollTo(0, 0)
  shown = await start(element)
  await settled()
  await performSteps(state.steps)
  await settled()
}

/** Functions for tests, to list the states and to show one. */
export interface StatesOfConsole {
  readonly states: readonly { readonly id: string; readonly pattern: string | undefined }[]
  readonly show: typeof showState
}
declare global {
  interface Window {
    consoleStates?: StatesOfConsole
  }
}
window.consoleStates = { states: consoleStates.map(({ id, pattern }) => ({ id, pattern })), show: showState }

// The console could apply its own choice of theme. Style sheets of lazy screens load later, and `showTheme` also changes those.
if (query.get('_theme') === 'dark') showTheme('dark')
showState(query.get('_state') ?? '').then(
  () => {
    dataset['state'] = 'shown'
  },
  (error: unknown) => {
    dataset['state'] = 'failed'
    throw error
  },
)
