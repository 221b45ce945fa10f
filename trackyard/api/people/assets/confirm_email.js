const button = document.getElementById("confirm");
const text = document.getElementById("text");

async function confirmAddress() {
  button.disabled = true;
  try {
    const response = await fetch("3.1/partner/email/confirm", {
      method: "POST",
      body: new URLSearchParams({ token: location.hash.slice(1) }),
    });
    const answer = await response.json();
    text.textContent = answer.fields?.token?.[0] ?? answer.message;
    button.hidden = response.ok || response.status === 400;
  } catch {
    text.textContent = "The server does not answer. Try again in a minute.";
  }
  button.disabled = false;
}

button.addEventListener("click", confirmAddress);
