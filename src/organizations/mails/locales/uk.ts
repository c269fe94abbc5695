import type { OrganizationMailTexts } from '../../mails.ts'

export const uk: OrganizationMailTexts = {
  hello: 'Вітаємо',
  helloName: 'Вітаємо, {name}',
  'invitation.subject': 'Запрошення до {organization}',
  'invitation.subjectBy': '{inviter} запрошує вас до {organization}',
  'invitation.subjectByOn': '{inviter} запрошує вас до {organization} на {company}',
  'invitation.text': '{inviter} запрошує вас до організації {organization}.',
  'invitation.textUnnamed': 'Вас запрошують до організації {organization}.',
  'invitation.subjectNameless': 'Запрошення до організації',
  'invitation.textNameless': 'Вас запрошують до організації.',
  'invitation.action': 'Переглянути запрошення',
  'invitation.foot':
    'Запрошення призначене для {email}. Термін дії: {time}. Якщо ви не знаєте, про що йдеться, просто не зважайте на цей лист.',
}
