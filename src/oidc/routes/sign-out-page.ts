import { acceptedLanguages, fillIn } from '../../core/language.ts'
import { type Locale, localeOf, pickLocale } from '../../core/locale.ts'
import { escapeHtml } from '../../core/web.ts'

interface Texts {
  readonly title: string
  /** `{client}` is the application's name. */
  readonly asks: string
  readonly unidentifiedAsks: string
  /** For the developer of the application; the names of parameters are the protocol's. */
  readonly unidentified: string
  readonly unregistered: string
  readonly signOut: string
  readonly stay: string
}

const named = ['id_token_hint', 'client_id', 'post_logout_redirect_uri'] as const
const inCode = Object.fromEntries(named.map((name) => [name, `<code>${name}</code>`]))

const texts: Readonly<Record<Locale, Texts>> = {
  en: {
    title: 'Sign out?',
    asks: '{client} asks to sign you out of your account in this browser.',
    unidentifiedAsks: 'An application asks to sign you out of your account in this browser.',
    unidentified:
      'You will stay here afterwards, because the application did not say which one it is. Its developers have to send {id_token_hint} or {client_id} together with {post_logout_redirect_uri}.',
    unregistered:
      'You will stay here afterwards, because the address to return to is not registered for the application. Its developers have to have their {post_logout_redirect_uri} registered here.',
    signOut: 'Sign out',
    stay: 'Stay signed in',
  },
  de: {
    title: 'Abmelden?',
    asks: '{client} möchte Sie in diesem Browser von Ihrem Konto abmelden.',
    unidentifiedAsks: 'Eine Anwendung möchte Sie in diesem Browser von Ihrem Konto abmelden.',
    unidentified:
      'Danach bleiben Sie hier, denn die Anwendung hat nicht gesagt, welche sie ist. Wer sie entwickelt, muss zusammen mit {post_logout_redirect_uri} auch {id_token_hint} oder {client_id} senden.',
    unregistered:
      'Danach bleiben Sie hier, denn die Adresse für die Rückkehr ist für die Anwendung nicht eingetragen. Wer sie entwickelt, muss die {post_logout_redirect_uri} hier eintragen lassen.',
    signOut: 'Abmelden',
    stay: 'Angemeldet bleiben',
  },
  es: {
    title: '¿Cerrar sesión?',
    asks: '{client} quiere cerrar la sesión de tu cuenta en este navegador.',
    unidentifiedAsks: 'Una aplicación quiere cerrar la sesión de tu cuenta en este navegador.',
    unidentified:
      'Después te quedarás aquí, porque la aplicación no ha dicho cuál es. Quien la desarrolla debe enviar {id_token_hint} o {client_id} junto con {post_logout_redirect_uri}.',
    unregistered:
      'Después te quedarás aquí, porque la dirección de regreso no está registrada para la aplicación. Quien la desarrolla debe hacer registrar aquí su {post_logout_redirect_uri}.',
    signOut: 'Cerrar sesión',
    stay: 'Seguir conectado',
  },
  fr: {
    title: 'Se déconnecter ?',
    asks: '{client} demande à vous déconnecter de votre compte dans ce navigateur.',
    unidentifiedAsks: 'Une application demande à vous déconnecter de votre compte dans ce navigateur.',
    unidentified:
      'Vous resterez ensuite ici, car l’application n’a pas dit laquelle elle est. Ses développeurs doivent envoyer {id_token_hint} ou {client_id} avec {post_logout_redirect_uri}.',
    unregistered:
      'Vous resterez ensuite ici, car l’adresse de retour n’est pas enregistrée pour l’application. Ses développeurs doivent faire enregistrer ici leur {post_logout_redirect_uri}.',
    signOut: 'Se déconnecter',
    stay: 'Rester connecté',
  },
  pl: {
    title: 'Wylogować się?',
    asks: '{client} prosi o wylogowanie Cię z konta w tej przeglądarce.',
    unidentifiedAsks: 'Aplikacja prosi o wylogowanie Cię z konta w tej przeglądarce.',
    unidentified:
      'Potem zostaniesz tutaj, ponieważ aplikacja nie podała, kim jest. Jej twórcy muszą wysłać {id_token_hint} lub {client_id} razem z {post_logout_redirect_uri}.',
    unregistered:
      'Potem zostaniesz tutaj, ponieważ adres powrotu nie jest zarejestrowany dla tej aplikacji. Jej twórcy muszą zgłosić tutaj swój {post_logout_redirect_uri} do rejestracji.',
    signOut: 'Wyloguj się',
    stay: 'Nie wylogowuj',
  },
  tr: {
    title: 'Oturum kapatılsın mı?',
    asks: '{client}, bu tarayıcıda hesabınızdan çıkış yapılmasını istiyor.',
    unidentifiedAsks: 'Bir uygulama, bu tarayıcıda hesabınızdan çıkış yapılmasını istiyor.',
    unidentified:
      'Uygulama hangisi olduğunu söylemediği için sonrasında burada kalacaksınız. Geliştiricileri {post_logout_redirect_uri} ile birlikte {id_token_hint} veya {client_id} göndermelidir.',
    unregistered:
      'Dönüş adresi bu uygulama için kayıtlı olmadığından sonrasında burada kalacaksınız. Geliştiricileri {post_logout_redirect_uri} adresini burada kaydettirmelidir.',
    signOut: 'Çıkış yap',
    stay: 'Oturumu açık tut',
  },
  ru: {
    title: 'Выйти?',
    asks: '{client} просит завершить ваш сеанс в этом браузере.',
    unidentifiedAsks: 'Приложение просит завершить ваш сеанс в этом браузере.',
    unidentified:
      'После выхода вы останетесь здесь, потому что приложение не назвало себя. Его разработчики должны отправлять {id_token_hint} или {client_id} вместе с {post_logout_redirect_uri}.',
    unregistered:
      'После выхода вы останетесь здесь, потому что адрес для возврата не зарегистрирован для этого приложения. Его разработчикам нужно зарегистрировать здесь свой {post_logout_redirect_uri}.',
    signOut: 'Выйти',
    stay: 'Остаться',
  },
  uk: {
    title: 'Вийти?',
    asks: '{client} просить завершити ваш сеанс у цьому браузері.',
    unidentifiedAsks: 'Застосунок просить завершити ваш сеанс у цьому браузері.',
    unidentified:
      'Після виходу ви залишитеся тут, бо застосунок не назвав себе. Його розробники мають надсилати {id_token_hint} або {client_id} разом із {post_logout_redirect_uri}.',
    unregistered:
      'Після виходу ви залишитеся тут, бо адресу для повернення не зареєстровано для цього застосунку. Його розробникам потрібно зареєструвати тут свій {post_logout_redirect_uri}.',
    signOut: 'Вийти',
    stay: 'Залишитися',
  },
}

/** The language of the person, else the one the application asks for (`ui_locales`), else the browser's, else English. */
export const localeOfPage = (language: number | null, uiLocales: string | undefined, acceptLanguage: string): Locale =>
  localeOf(language) ?? pickLocale([...(uiLocales ?? '').slice(0, 100).split(' '), ...acceptedLanguages(acceptLanguage)]) ?? 'en'

const mark = `<svg class="mark" width="28" height="28" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
<path class="mark-tower" d="M3 30V15a13 13 0 0 1 26 0v15a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1Z"/>
<path class="mark-light" d="M10 31V16a6 6 0 0 1 12 0v15Z"/><path class="mark-door" d="M10 31V16a6 6 0 0 1 4-5.66L15 12v19Z"/></svg>`

/** The application did not say which one it is, or named an address that it did not register. */
export type ReturnProblem = 'unidentified' | 'unregistered'

interface SignOutPage {
  readonly locale: Locale
  /** Where the form goes, and the sealed question it carries. */
  readonly action: string
  readonly question: string
  /** Name of the application, where it said which one it is. */
  readonly client: string | undefined
  /** Why the browser stays although the application wants it back; undefined when it does not stay. */
  readonly returnProblem: ReturnProblem | undefined
}

/** Asks whether somebody wants to sign out. Looks as the hosted pages do, from their style sheet, and needs no script. */
export const signOutPage = ({ locale, action, question, client, returnProblem }: SignOutPage): string => {
  const t = texts[locale]
  const asks = client === undefined ? t.unidentifiedAsks : fillIn(t.asks, { client })
  const note = returnProblem === undefined ? '' : `\n<p class="lead break">${fillIn(t[returnProblem], inCode)}</p>`
  return `<!doctype html>
<html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${t.title}</title>
<link rel="stylesheet" href="/hosted/sign-out.css"></head>
<body><div class="shell shell-card"><header class="brand"><span class="wordmark">${mark}</span></header>
<main class="main"><div class="card"><div class="heading"><h1>${t.title}</h1>
<p class="lead break">${escapeHtml(asks)}</p>${note}</div>
<form class="actions" method="post" action="${action}"><input type="hidden" name="question" value="${escapeHtml(question)}">
<button class="button button-primary">${t.signOut}</button><a class="button button-secondary" href="/account">${t.stay}</a></form>
</div></main></div></body></html>`
}
