// The page that stands for a task while there is no connection: it opens the task once the server answers again.

const AGAIN = 5000;

async function openTask() {
  const answer = await fetch(location.href, { redirect: "manual" }).catch(() => null);
  if (answer && answer.status < 500) location.reload();
}

addEventListener("online", openTask);
setInterval(openTask, AGAIN);
