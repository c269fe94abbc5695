import type { Locale } from '../../src/core/locale.ts'

interface Words {
  /** `{name}` is the operator's name for this place. */
  readonly noScriptTitle: string
  readonly noScript: string
  readonly incomplete: string
  readonly tooManyTitle: string
  /** `{wait}` is a time, such as "8 seconds". */
  readonly tooMany: string
  readonly tryAgain: string
}

/** What only the server says: before any script has run, and where none does. */
export const words: Readonly<Record<Locale, Words>> = {
  en: {
    noScriptTitle: 'JavaScript is switched off',
    noScript: '{name} needs JavaScript for this page. Please switch it on and load the page again.',
    incomplete: 'This page did not load completely. Please load it again.',
    tooManyTitle: 'Too many requests',
    tooMany: 'Many requests came from here in a short time. Please wait: {wait}. Then try again.',
    tryAgain: 'Try again',
  },
  de: {
    noScriptTitle: 'JavaScript ist ausgeschaltet',
    noScript: '{name} braucht JavaScript für diese Seite. Bitte schalten Sie es ein und laden Sie die Seite neu.',
    incomplete: 'Diese Seite wurde nicht vollständig geladen. Bitte laden Sie sie neu.',
    tooManyTitle: 'Zu viele Anfragen',
    tooMany: 'Von hier kamen in kurzer Zeit viele Anfragen. Bitte warten Sie: {wait}. Versuchen Sie es danach erneut.',
    tryAgain: 'Erneut versuchen',
  },
  es: {
    noScriptTitle: 'JavaScript está desactivado',
    noScript: '{name} necesita JavaScript en esta página. Actívalo y vuelve a cargar la página.',
    incomplete: 'Esta página no se ha cargado por completo. Vuelve a cargarla.',
    tooManyTitle: 'Demasiadas solicitudes',
    tooMany: 'Desde aquí han llegado muchas solicitudes en poco tiempo. Espera: {wait}. Después, inténtalo de nuevo.',
    tryAgain: 'Reintentar',
  },
  fr: {
    noScriptTitle: 'JavaScript est désactivé',
    noScript: '{name} a besoin de JavaScript pour cette page. Activez-le, puis rechargez la page.',
    incomplete: 'Cette page ne s’est pas chargée entièrement. Veuillez la recharger.',
    tooManyTitle: 'Trop de requêtes',
    tooMany: 'De nombreuses requêtes sont venues d’ici en peu de temps. Veuillez patienter : {wait}. Réessayez ensuite.',
    tryAgain: 'Réessayer',
  },
  pl: {
    noScriptTitle: 'JavaScript jest wyłączony',
    noScript: '{name} wymaga na tej stronie JavaScriptu. Włącz go i wczytaj stronę ponownie.',
    incomplete: 'Strona nie wczytała się w całości. Wczytaj ją ponownie.',
    tooManyTitle: 'Zbyt wiele żądań',
    tooMany: 'W krótkim czasie nadeszło stąd wiele żądań. Poczekaj: {wait}. Potem spróbuj ponownie.',
    tryAgain: 'Spróbuj ponownie',
  },
  tr: {
    noScriptTitle: 'JavaScript kapalı',
    noScript: '{name} bu sayfada JavaScript gerektirir. Lütfen açın ve sayfayı yeniden yükleyin.',
    incomplete: 'Bu sayfa tam olarak yüklenmedi. Lütfen yeniden yükleyin.',
    tooManyTitle: 'Çok fazla istek',
    tooMany: 'Buradan kısa sürede çok sayıda istek geldi. Lütfen bekleyin: {wait}. Sonra yeniden deneyin.',
    tryAgain: 'Yeniden dene',
  },
  ru: {
    noScriptTitle: 'JavaScript отключён',
    noScript: 'Для работы этой страницы {name} нужен JavaScript. Включите его и обновите страницу.',
    incomplete: 'Страница загрузилась не полностью. Обновите её.',
    tooManyTitle: 'Слишком много запросов',
    tooMany: 'За короткое время отсюда пришло много запросов. Подождите: {wait}. Затем попробуйте ещё раз.',
    tryAgain: 'Попробовать ещё раз',
  },
  uk: {
    noScriptTitle: 'JavaScript вимкнено',
    noScript: 'Для роботи цієї сторінки {name} потрібен JavaScript. Увімкніть його та оновіть сторінку.',
    incomplete: 'Сторінка завантажилася не повністю. Оновіть її.',
    tooManyTitle: 'Забагато запитів',
    tooMany: 'За короткий час звідси надійшло багато запитів. Зачекайте: {wait}. Потім спробуйте ще раз.',
    tryAgain: 'Спробувати ще раз',
  },
}
