import { useState } from 'react'
import { languageNames } from '../shared/language.ts'
import { states } from './all.ts'
import { brandNames } from './brands.ts'
import { consoleStates } from './console/states.ts'

/** The properties that states of hosted pages and of the console share. */
interface Listed {
  readonly id: string
  readonly path: string
}

const lists: Readonly<Record<string, readonly Listed[]>> = { pages: states, console: consoleStates }

const choices = {
  of: [
    ['pages', 'Hosted pages'],
    ['console', 'Console'],
  ],
  language: languageNames,
  theme: [
    ['light', 'Light'],
    ['dark', 'Dark'],
  ],
  brand: brandNames.map((name) => [name, name] as const),
  width: [
    ['390', '390 px'],
    ['320', '320 px'],
    ['768', '768 px'],
    ['1024', '1024 px'],
    ['1440', '1440 px'],
    ['1600', '1600 px'],
  ],
} as const satisfies Record<string, readonly (readonly [value: string, label: string])[]>
type ChoiceName = keyof typeof choices
type Choices = Readonly<Record<ChoiceName, string>>

const names = Object.keys(choices) as readonly ChoiceName[]
const first: Choices = { of: 'pages', language: 'en', theme: 'light', brand: 'none', width: '390' }

/** The choice in the address, so that the address can be shared. */
const chosenAtFirst = (): Choices => {
  const query = new URLSearchParams(location.hash.slice(1))
  return Object.fromEntries(names.map((name) => [name, query.get(name) ?? first[name]])) as Choices
}

/** The address of a state with the present choice. */
const addressOf = ({ id, path }: Listed, { language, theme, brand }: Choices): string => {
  const url = new URL(path, location.origin)
  for (const [name, value] of Object.entries({ ui_locales: language, _state: id, _theme: theme, _brand: brand }))
    url.searchParams.set(name, value)
  return url.pathname + url.search
}

const Shown = ({ state, chosen }: { readonly state: Listed; readonly chosen: Choices }) => {
  const address = addressOf(state, chosen)
  return (
    <section className="state">
      <h2>
        <a href={address} target="_blank" rel="noreferrer">
          {state.id}
        </a>
      </h2>
      <iframe key={address} title={state.id} src={address} width={chosen.width} height={780} loading="lazy" />
    </section>
  )
}

/** Lists all states in the chosen language, theme and brand. Each can be opened alone. */
export const StateList = () => {
  const [chosen, setChosen] = useState(chosenAtFirst)
  const [search, setSearch] = useState('')
  const choose = (name: ChoiceName, value: string) => {
    const next = { ...chosen, [name]: value }
    setChosen(next)
    history.replaceState(null, '', `#${new URLSearchParams(next)}`)
  }
  const all = lists[chosen.of] ?? states
  const shown = all.filter(({ id }) => id.includes(search.trim()))
  return (
    <main>
      <header className="bar">
        <h1>States of the pages</h1>
        <label>
          Find <input type="search" value={search} onChange={({ target }) => setSearch(target.value)} />
        </label>
        {names.map((name) => (
          <label key={name}>
            {name}{' '}
            <select value={chosen[name]} onChange={({ target }) => choose(name, target.value)}>
              {choices[name].map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        ))}
        <output>
          {shown.length} of {all.length}
        </output>
      </header>
      <div className="states">
        {shown.map((state) => (
          <Shown key={state.id} state={state} chosen={chosen} />
        ))}
      </div>
    </main>
  )
}
