import type { OrganizationMailTexts } from '../../mails.ts'

export const es: OrganizationMailTexts = {
  hello: 'Hola',
  helloName: 'Hola, {name}',
  'invitation.subject': 'Invitación a {organization}',
  'invitation.subjectBy': '{inviter} te ha invitado a {organization}',
  'invitation.subjectByOn': '{inviter} te ha invitado a {organization} en {company}',
  'invitation.text': '{inviter} te invita a unirte a {organization}.',
  'invitation.textUnnamed': 'Te invitan a unirte a {organization}.',
  'invitation.subjectNameless': 'Invitación a una organización',
  'invitation.textNameless': 'Te invitan a unirte a una organización.',
  'invitation.action': 'Ver la invitación',
  'invitation.foot': 'La invitación es para {email}. Validez: {time}. Si no sabes de qué se trata, puedes ignorar este correo.',
}
