import type { Locale } from '../../src/core/locale.ts'

interface Words {
  /** `{name}` is the operator's name for this place. */
  readonly noScriptTitle: string
  readonly noScript: string
  readonly incomplete: string
}

/** What only the server says: before any script has run, and where none does. */
export const words: Readonly<Record<Locale, Words>> = {
  en: {
    noScriptTitle: 'JavaScript is switched off',
    noScript: '{name} needs JavaScript for this page. Please switch it on and load the page again.',
    incomplete: 'This page did not load completely. Please load it again.',
  },
  de: {
    noScriptTitle: 'JavaScript ist ausgeschaltet',
    noScript: '{name} braucht JavaScript für diese Seite. Bitte schalten Sie es ein und laden Sie die Seite neu.',
    incomplete: 'Diese Seite wurde nicht vollständig geladen. Bitte laden Sie sie neu.',
  },
  es: {
    noScriptTitle: 'JavaScript está desactivado',
    noScript: '{name} necesita JavaScript en esta página. Actívalo y vuelve a cargar la página.',
    incomplete: 'Esta página no se ha cargado por completo. Vuelve a cargarla.',
  },
  fr: {
    noScriptTitle: 'JavaScript est désactivé',
    noScript: '{name} a besoin de JavaScript pour cette page. Activez-le, puis rechargez la page.',
    incomplete: 'Cette page ne s’est pas chargée entièrement. Veuillez la recharger.',
  },
  pl: {
    noScriptTitle: 'JavaScript jest wyłączony',
    noScript: '{name} wymaga na tej stronie JavaScriptu. Włącz go i wczytaj stronę ponownie.',
    incomplete: 'Strona nie wczytała się w całości. Wczytaj ją ponownie.',
  },
  tr: {
    noScriptTitle: 'JavaScript kapalı',
    noScript: '{name} bu sayfada JavaScript gerektirir. Lütfen açın ve sayfayı yeniden yükleyin.',
    incomplete: 'Bu sayfa tam olarak yüklenmedi. Lütfen yeniden yükleyin.',
  },
  ru: {
    noScriptTitle: 'JavaScript отключён',
    noScript: 'Для работы этой страницы {name} нужен JavaScript. Включите его и обновите страницу.',
    incomplete: 'Страница загрузилась не полностью. Обновите её.',
  },
  uk: {
    noScriptTitle: 'JavaScript вимкнено',
    noScript: 'Для роботи цієї сторінки {name} потрібен JavaScript. Увімкніть його та оновіть сторінку.',
    incomplete: 'Сторінка завантажилася не повністю. Оновіть її.',
  },
}
