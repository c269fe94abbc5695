import type { LinkMessagesOf } from '../../i18n.ts'

export const pl: LinkMessagesOf<'pl'> = {
  'confirmEmail.title': 'Potwierdź adres e-mail',
  'confirmEmail.text': 'Poproszono nas o sprawdzenie tego adresu. Wystarczy jedno kliknięcie.',
  'confirmEmail.submit': 'Potwierdź adres',
  'confirmEmail.withPassword': 'Jest tu konto z adresem {email}. Podaj wybrane dla niego hasło, a adres zostanie potwierdzony.',
  'confirmEmail.notMine': 'Nie znam go lub to nie ja założyłem to konto',
  'confirmEmail.claimTitle': 'Przejmij to konto',
  'confirmEmail.claim':
    'Wybierz nowe hasło dla {email}. Kto założył konto, zostanie wszędzie wylogowany, a jego inne sposoby logowania zostaną usunięte.',
  'confirmEmail.claimSubmit': 'Ustaw hasło i potwierdź',
  'confirmEmail.usePassword': 'Znam hasło',
  'recover.title': 'Odzyskaj swoje konto',
  'recover.lead': 'Adres Twojego konta został zmieniony. Jeśli to nie Ty, wybierz nowe hasło: {email} znów będzie jego adresem.',
  'recover.loses': 'Wszyscy zostaną wylogowani, a połączone konta i aplikacje odłączone. Możesz połączyć je ponownie.',
  'recover.submit': 'Odzyskaj konto',
  'recover.doneTitle': 'Konto znów jest Twoje',
  'recover.done': 'Jego adresem jest znów {email}. Od teraz loguj się nowym hasłem.',
  'recover.invalid':
    'Linki do odzyskania konta działają raz i przez ograniczony czas. Jeśli nie możesz się zalogować, poproś administratora o pomoc.',

  'setup.title': 'Witamy w gatehouse',
  'setup.lead': 'Utwórz pierwszego administratora. Potem ten link przestanie działać.',
  'setup.submit': 'Utwórz administratora',
  'setup.working': 'Konfigurowanie…',
  'setup.usedTitle': 'Ten link konfiguracyjny został już użyty',
  'setup.used': 'Działa jeden raz i przez godzinę. Nowy utworzysz na serwerze poleceniem:',
  'setup.missingTitle': 'Potrzebny jest link konfiguracyjny',
  'setup.missing': 'Został zapisany w dzienniku przy pierwszym uruchomieniu. Nowy utworzysz na serwerze poleceniem:',
  'setup.doneTitle': 'Ten serwer jest już skonfigurowany',
  'setup.done':
    'Administrator już istnieje, więc linki konfiguracyjne już nie działają. Zaloguj się; jeśli hasło zaginęło, poproś tam o nowe lub ustaw je na serwerze poleceniem:',
}
