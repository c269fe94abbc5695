import type { ReactNode } from 'react'
import { createContext, Fragment, use } from 'react'
import type { I18n, Key, ParamsOf } from './i18n.ts'
import { createI18n } from './i18n.ts'
import { en } from './locales/en.ts'

const I18nContext = createContext<I18n>(createI18n('en', en))

export const I18nProvider = ({ i18n, children }: { readonly i18n: I18n; readonly children: ReactNode }) => (
  <I18nContext value={i18n}>{children}</I18nContext>
)

/** Texts, dates and numbers in the language of the page. */
export const useI18n = (): I18n => use(I18nContext)

interface TextProps<K extends Key> {
  readonly id: K
  readonly values: Readonly<Record<ParamsOf<K>, ReactNode>>
}

/** A text with elements in the places between braces. */
export const Text = <K extends Key>({ id, values }: TextProps<K>) => {
  const named: Readonly<Record<string, ReactNode>> = values
  return (
    useI18n()
      .parts(id)
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their places.
      .map((part, index) => <Fragment key={`${index}${part}`}>{index % 2 === 0 ? part : named[part]}</Fragment>)
  )
}
