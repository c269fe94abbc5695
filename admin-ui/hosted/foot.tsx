import { useEffect, useState } from 'react'
import type { Locale } from '../../src/core/locale.ts'
import type { Interaction, Settings } from '../shared/api.ts'
import { useI18n } from '../shared/text.tsx'
import { useHosted } from './context.tsx'

/** These texts are not in the catalogue of every page. The first page loads that whole catalogue, and the number of its bytes is limited. */
export const footTexts: Readonly<
  Record<Locale, Readonly<Record<'links' | 'back' | 'privacy' | 'terms' | 'support' | 'poweredBy', string>>>
> = {
  en: {
    links: 'About this site',
    back: 'Back to {name}',
    privacy: 'Privacy',
    terms: 'Terms',
    support: 'Help',
    poweredBy: 'Powered by gatehouse',
  },
  de: {
    links: 'Über diese Seite',
    back: 'Zurück zu {name}',
    privacy: 'Datenschutz',
    terms: 'Bedingungen',
    support: 'Hilfe',
    poweredBy: 'Betrieben mit gatehouse',
  },
  es: {
    links: 'Sobre este sitio',
    back: 'Volver a {name}',
    privacy: 'Privacidad',
    terms: 'Condiciones',
    support: 'Ayuda',
    poweredBy: 'Con la tecnología de gatehouse',
  },
  fr: {
    links: 'À propos de ce site',
    back: 'Retour à {name}',
    privacy: 'Confidentialité',
    terms: 'Conditions',
    support: 'Aide',
    poweredBy: 'Propulsé par gatehouse',
  },
  pl: {
    links: 'O tej stronie',
    back: 'Wróć do {name}',
    privacy: 'Prywatność',
    terms: 'Warunki',
    support: 'Pomoc',
    poweredBy: 'Działa dzięki gatehouse',
  },
  tr: {
    links: 'Bu site hakkında',
    back: '{name} sitesine dön',
    privacy: 'Gizlilik',
    terms: 'Koşullar',
    support: 'Yardım',
    poweredBy: 'gatehouse ile çalışır',
  },
  ru: {
    links: 'Об этом сайте',
    back: 'Вернуться в {name}',
    privacy: 'Конфиденциальность',
    terms: 'Условия',
    support: 'Помощь',
    poweredBy: 'Работает на gatehouse',
  },
  uk: {
    links: 'Про цей сайт',
    back: 'Повернутися до {name}',
    privacy: 'Конфіденційність',
    terms: 'Умови',
    support: 'Допомога',
    poweredBy: 'Працює на gatehouse',
  },
}

/** A link back to the application's website, shown on pages of an application's sign-in. Renders nothing if the website is unknown. */
const Back = ({ words }: { readonly words: string }) => {
  const { resources } = useHosted()
  const [client, setClient] = useState<Interaction['client']>()
  useEffect(() => {
    // A failure to load the interaction is ignored here, because the page itself shows it.
    resources.interaction().then(
      (interaction) => setClient(typeof interaction === 'string' ? undefined : interaction.client),
      () => undefined,
    )
  }, [resources])
  if (client === undefined || client.uri === null) return null
  const { name, uri } = client
  return (
    <a className="break" href={uri}>
      {words.replace('{name}', () => name)}
    </a>
  )
}

/** The footer: the operator's links, the link back to the application, and the name of the software. */
export const Foot = ({ links: { privacy, terms, support }, poweredBy }: Settings['brand']) => {
  const words = footTexts[useI18n().locale]
  const { query } = useHosted()
  return (
    <nav className="foot-links" aria-label={words.links}>
      {query.has('interaction') ? <Back words={words.back} /> : null}
      {privacy === undefined ? null : <a href={privacy}>{words.privacy}</a>}
      {terms === undefined ? null : <a href={terms}>{words.terms}</a>}
      {support === undefined ? null : <a href={support}>{words.support}</a>}
      {poweredBy ? <span>{words.poweredBy}</span> : null}
    </nav>
  )
}
