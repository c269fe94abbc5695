/** The shape of the console while its code loads. The server writes it into the page, too. */
export const ConsoleFrame = () => (
  <div className="inside-shell" aria-busy="true">
    <div className="side side-fixed" />
    <div className="inside-main">
      <div className="top" />
      <div className="inside-content">
        <span className="placeholder bone-title" />
        <span className="placeholder bone-block" />
      </div>
    </div>
  </div>
)
