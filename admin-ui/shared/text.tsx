import type { ReactNode } from 'react'
import { createContext, Fragment, use, useRef, useState } from 'react'
import type { Locale } from '../../src/core/locale.ts'
import type { CatalogueName, I18n, Key, ParamsOf } from './i18n.ts'
import { loadI18n } from './i18n.ts'
import { loadOwnTexts } from './own-texts.ts'

const I18nContext = createContext<I18n | undefined>(undefined)
const SwitchContext = createContext<(locale: Locale) => Promise<void>>(async () => undefined)
const AddContext = createContext<(catalogue: CatalogueName) => Promise<void>>(async () => undefined)

interface I18nProviderProps {
  /** The texts of the language in which the page begins. */
  readonly i18n: I18n
  readonly children: ReactNode
}

/** Gives the page its texts, and changes their language without a reload, so that typed text stays. */
export const I18nProvider = ({ i18n, children }: I18nProviderProps) => {
  const [switched, setSwitched] = useState<I18n>()
  const current = switched ?? i18n
  /** All catalogues that were requested, because several may load at the same time. */
  const wanted = useRef(i18n.catalogues)
  const latest = useRef<Promise<void>>(undefined)
  const load = (locale: Locale): Promise<void> => {
    const work: Promise<void> = loadI18n(locale, navigator.languages, wanted.current, loadOwnTexts).then((next) => {
      // A later request was started meanwhile, and includes these texts, too.
      if (latest.current !== work) return latest.current
      document.documentElement.lang = next.locale
      setSwitched(next)
      return undefined
    })
    latest.current = work
    return work
  }
  const add = async (catalogue: CatalogueName) => {
    if (wanted.current.includes(catalogue)) return latest.current
    wanted.current = [...wanted.current, catalogue]
    try {
      return await load(current.locale)
    } catch (error) {
      // The other catalogues must arrive without this one. The next component that needs it requests it again.
      wanted.current = wanted.current.filter((other) => other !== catalogue)
      throw error
    }
  }
  return (
    <SwitchContext value={load}>
      <AddContext value={add}>
        <I18nContext value={current}>{children}</I18nContext>
      </AddContext>
    </SwitchContext>
  )
}

/** Texts, dates and numbers in the language of the page. */
export const useI18n = (): I18n => {
  const i18n = use(I18nContext)
  if (i18n === undefined) throw new Error('a text outside of I18nProvider')
  return i18n
}

/** Changes the language of the page. */
export const useSwitchLanguage = () => use(SwitchContext)

/** Fetches the texts of a catalogue once. Call it before showing a component that needs them. */
export const useAddTexts = () => use(AddContext)

interface TextProps<K extends Key> {
  readonly id: K
  readonly values: Readonly<Record<ParamsOf<K>, ReactNode>>
}

/** A text with elements in its placeholders. */
export const Text = <K extends Key>({ id, values }: TextProps<K>) => {
  const named: Readonly<Record<string, ReactNode>> = values
  return (
    useI18n()
      .parts(id)
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their places.
      .map((part, index) => <Fragment key={`${index}${part}`}>{index % 2 === 0 ? part : named[part]}</Fragment>)
  )
}
