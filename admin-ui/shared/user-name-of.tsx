/** Tells password managers the account of a form's password (HTML, autofill field `username`). */
export const UserNameOf = ({ email }: { readonly email: string }) => (
  <input className="visually-hidden" type="email" name="username" autoComplete="username" defaultValue={email} hidden />
)
